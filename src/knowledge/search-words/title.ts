import { clip, toOneLine } from '../text/plain-text.ts'
import { isSmallWord, splitClauses, toBaseForm } from './content-words.ts'

const MAX_TITLE = 120
const MAX_HEADING = 80
/** Headings that name no subject. */
const EMPTY_HEADING =
  /^(?:overview|introduction|instructions?|usage|skill|skill\.md|readme|about|purpose|guide|quick start)$/i

/**
 * The title of a skill: its first heading if that is about the same subject as its name or description, otherwise its
 * name as words.
 */
export function chooseTitle({
  name,
  heading,
  description,
}: {
  readonly name: string
  readonly heading: string
  readonly description: string
}): string {
  const line = toOneLine(heading.replaceAll(/[`*_]|^\p{Extended_Pictographic}\s*/gu, ''), 400)
  const words = new Set(toSubject(`${name.replaceAll('-', ' ')} ${description}`))
  const fits =
    line !== '' &&
    line.length <= MAX_HEADING &&
    !EMPTY_HEADING.test(line) &&
    toSubject(line).some((one) => words.has(one))
  return fits ? line : clip(toTitle(name), MAX_TITLE)
}

const toSubject = (text: string): string[] =>
  splitClauses(text)
    .flat()
    .filter((word) => !isSmallWord(word))
    .map(toBaseForm)

export const toTitle = (name: string): string => {
  const words = name.replaceAll(/[-_.]+/g, ' ').trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
