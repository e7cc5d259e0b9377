/** The host was lost, or its messages were, while it ran an execution: what the execution did is unknown. */
export class HostLost extends Error {
  override readonly name = 'HostLost'
}
