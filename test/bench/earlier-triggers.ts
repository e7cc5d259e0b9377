import { clip, distinct, takeFirstSentence, toOneLine } from '../../src/knowledge/text/plain-text.ts'

/** How triggers of imported skills were made before: the first sentence and each case after "when". */
export function deriveEarlierTriggers(description: string): string[] {
  const [what = ''] = description.split(/\b(?:use (?:this )?(?:skill )?when|use for)\b:?/i)
  const cases = /\b(?:when|whenever)\b:?\s+(.+)$/i.exec(description)?.[1] ?? ''
  const phrases = [takeFirstSentence(what), ...cases.split(/[;,]|\bor\b/)].map((one) =>
    toOneLine(one.replace(/^(?:the user|you|asked|asks|wants|needs|to)\b/i, ''), 200),
  )
  const usable = distinct(phrases.filter((one) => one.length > 3)).slice(0, 5)
  const found = usable.length > 0 ? usable : [clip(description, 200)]
  return distinct(found.map((phrase) => clip(phrase, 120)))
}
