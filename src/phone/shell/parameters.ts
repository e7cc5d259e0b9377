import { matchEnd, matchPattern, matchStart, type PatternPart } from './patterns.ts'

export function isAlternative(operator: string): boolean {
  return /^:?[-=?+]$/.test(operator)
}

export interface ChangeTexts {
  readonly first: readonly PatternPart[]
  readonly second: string | undefined
  /** The number of arguments, for `$@`. */
  readonly count: number | undefined
  readonly calculate: (source: string) => number
}

/** Applies `#`, `%`, `/` and `:` of `${NAME...}` to the value. */
export function changeText(value: string, operator: string, texts: ChangeTexts): string {
  switch (operator) {
    case '#length':
      return String(texts.count ?? Array.from(value).length)
    case '#':
    case '##':
      return value.slice(matchStart(texts.first, value, operator === '##') ?? 0)
    case '%':
    case '%%':
      return value.slice(0, value.length - (matchEnd(texts.first, value, operator === '%%') ?? 0))
    case ':':
      return takePart(value, texts)
    default:
      return replaceParts(value, operator, texts)
  }
}

/** `${NAME:start:length}`. A negative start counts from the end. */
function takePart(value: string, { first, second, calculate }: ChangeTexts): string {
  const source = first.map(({ text }) => text).join('')
  const chars = Array.from(value)
  const asked = calculate(source)
  const start = asked < 0 ? Math.max(0, chars.length + asked) : asked
  const length = second === undefined ? chars.length : calculate(second)
  return chars.slice(start, length < 0 ? length : start + length).join('')
}

/** The longest text in which a pattern is searched at each place. */
const MAX_SEARCHED = 4096

function replaceParts(value: string, operator: string, { first, second = '' }: ChangeTexts): string {
  if (first.length === 0) return value
  const kind = operator.at(-1)
  if (kind === '#') {
    const end = matchStart(first, value, true)
    return end === undefined ? value : second + value.slice(end)
  }
  if (kind === '%') {
    const length = matchEnd(first, value, true)
    return length === undefined ? value : value.slice(0, value.length - length) + second
  }
  const literal = first.map(({ text }) => text).join('')
  const isLiteral = first.every(({ text, quoted }) => quoted || !/[*?[]/.test(text))
  if (isLiteral)
    return operator === '//' ? value.replaceAll(literal, () => second) : value.replace(literal, () => second)
  return value.length > MAX_SEARCHED ? value : replaceMatches(value, first, { second, all: operator === '//' })
}

function replaceMatches(
  value: string,
  pattern: readonly PatternPart[],
  { second, all }: { readonly second: string; readonly all: boolean },
): string {
  const result: string[] = []
  let [at, replaced] = [0, false]
  while (at < value.length) {
    const rest = value.slice(at)
    const length = replaced && !all ? undefined : matchStart(pattern, rest, true)
    if (length === undefined || length === 0) {
      result.push(value[at] ?? '')
      at += 1
      continue
    }
    result.push(second)
    replaced = true
    at += length
  }
  return value === '' && matchPattern(pattern, '') ? second : result.join('')
}
