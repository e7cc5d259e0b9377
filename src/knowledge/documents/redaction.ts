import { type Box, groupLines, joinBoxes, roundBox, type Word } from '../tables/geometry.ts'
import { findSensitive, type TextMatch } from './sensitive-text.ts'

/** A place that a person may decide to redact. It does not contain the text. */
export interface RedactionProposal {
  readonly page: number
  readonly kind: TextMatch['kind']
  /** One box for each line that the text goes over. */
  readonly boxes: readonly Box[]
  /** Equal for equal texts of this proposal, and of no use to find the text. */
  readonly text_hash: string
}

/** Proposes boxes for what the patterns name in one block of a page. The boxes cover whole words. */
export function proposeRedactions(
  words: readonly Word[],
  { page, patterns, hash }: { page: number; patterns: readonly string[]; hash: (text: string) => string },
): RedactionProposal[] {
  const starts: number[] = []
  let text = ''
  for (const word of words) {
    starts.push(text.length)
    text += `${word.text} `
  }
  return findSensitive(text.trimEnd(), patterns).map(({ kind, start, end }) => {
    const covered = words.filter((word, at) => (starts[at] ?? 0) < end && (starts[at] ?? 0) + word.text.length > start)
    const boxes = groupLines(covered).map((line) => roundBox(joinBoxes(line.words)))
    const normal = text.slice(start, end).toLowerCase().replaceAll(/\s+/g, ' ')
    return { page, kind, boxes, text_hash: hash(normal) }
  })
}
