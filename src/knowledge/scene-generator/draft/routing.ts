import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'

/** How instructions and pages are recognized. */
export interface Routing {
  readonly title: string
  readonly is_chinese: boolean
  readonly include_keywords: readonly string[]
  readonly exclude_keywords: readonly string[]
  readonly page_title_keywords: readonly string[]
}

const SEPARATORS = /[\s|·—–_:：,，()（）/-]+/

/** Keywords from the titles of the page, without words that many pages have. */
export function chooseRouting(
  { titles }: SceneAnalysis,
  answers: SceneAnswers,
  genericWords: readonly string[],
): Routing {
  const title = (answers.title ?? titles[0]?.value ?? '').slice(0, 120)
  const shown = [...new Set(titles.map(({ value }) => value))]
  const found = shown.slice(0, 5).flatMap((text) => toKeywords(text, genericWords))
  const first = titles[0]?.value ?? ''
  const words = toKeywords(first, genericWords)
  return {
    title,
    is_chinese: /\p{Script=Han}/u.test(title),
    include_keywords: answers.include_keywords ?? [...new Set(found)].slice(0, 10),
    exclude_keywords: answers.exclude_keywords ?? [],
    page_title_keywords: answers.page_title_keywords ?? (words.length > 0 ? [words[0] ?? first] : []),
  }
}

/**
 * A title without its generic words. In a script without spaces a generic word is removed from the ends of the title; in
 * others the words between generic words stay together.
 */
function toKeywords(title: string, genericWords: readonly string[]): string[] {
  return splitTitle(title, genericWords).map((word) => word.slice(0, MAX_KEYWORD))
}

const MAX_KEYWORD = 80

function splitTitle(title: string, genericWords: readonly string[]): string[] {
  const generic = new Set(genericWords.map((word) => word.toLowerCase()))
  if (/\p{Script=Han}/u.test(title)) {
    return title
      .split(SEPARATORS)
      .map((part) => stripEnds(part, [...generic]))
      .filter((part) => part.length >= 2)
  }
  const groups: string[][] = [[]]
  for (const word of title.split(SEPARATORS).filter(Boolean)) {
    if (generic.has(word.toLowerCase())) groups.push([])
    else groups.at(-1)?.push(word)
  }
  return groups.map((group) => group.join(' ')).filter((text) => text.length >= 4)
}

function stripEnds(text: string, generic: readonly string[]): string {
  const word = generic.find((one) => text !== one && (text.startsWith(one) || text.endsWith(one)))
  if (word === undefined) return generic.includes(text) ? '' : text
  return stripEnds(text.startsWith(word) ? text.slice(word.length) : text.slice(0, -word.length), generic)
}
