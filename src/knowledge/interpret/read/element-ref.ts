/** An element of a kept screen. */
export interface ElementRef {
  readonly event_id: string
  /** The screen of the step that shows it. After the step by default. */
  readonly screen?: 'before' | 'after' | undefined
  readonly node_path: string
}

/** An element that may show that the workflow was done. It is on the screen after its event. */
export interface ProofCandidate {
  readonly candidate_id: string
  readonly event_id: string
  readonly node_path: string
  /** A sentence without private data. */
  readonly text: string
  readonly strength: number
}
