/** Why a document could not be read. */
export type FaultReason =
  | 'encrypted'
  | 'damaged'
  | 'time_limit'
  | 'output_limit'
  | 'program_failed'
  | 'program_missing'
  | 'page_range_empty'
  | 'picture_too_large'
  | 'source_missing'

const MESSAGES: Readonly<Record<FaultReason, string>> = {
  encrypted: 'The document is encrypted with a password.',
  damaged: 'The document is damaged or has no pages.',
  time_limit: 'Reading the document took too long.',
  output_limit: 'The document gives more output than is allowed.',
  program_failed: 'A program that reads documents ended with an error.',
  program_missing: 'A program that reads documents is not installed any more.',
  page_range_empty: 'The document has none of the pages of page_range.',
  picture_too_large: 'The picture has more points than are allowed.',
  source_missing: 'The content of the document is missing.',
}

/** The message is fixed: what programs print may contain paths or parts of the document. */
export class EngineFault extends Error {
  readonly reason: FaultReason

  constructor(reason: FaultReason) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}
