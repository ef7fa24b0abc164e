addEventListener('message', () => undefined);
