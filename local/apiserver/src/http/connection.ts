/** Whether the client is still there, and the action when it goes. */
export interface Connection {
  closed: boolean;
  onClose?: () => void;
}
