interface RunPageProps {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function RunPage({ name }: RunPageProps) {
  return <h1>{name}</h1>;
}
