import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isNear, shownNumber } from '../../../screen/shown-number.ts'
import type { Claim } from './claims.ts'
import { attributeName, type Ending } from './ending.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { wordsPattern } from '../align/examples.ts'
import { literal, reference } from '../read/matching.ts'
import { rowAround } from '../read/rows.ts'
import { isSameView, isTextField, nodeAt, type Screen } from '../read/screen.ts'
import { titlePlace } from '../read/selectors.ts'
import { canBeStructural } from '../read/structural-words.ts'
import { idWords, resourceId, shownWords, spoken } from '../read/words.ts'

/** Words outside all lists that now say what was chosen or typed. */
export function wordClaims(ending: Ending): Claim[] {
  const { end, inputs, locate } = ending
  return end.nodes.flatMap((node) => {
    if (node === end.title || isTextField(node) || isTrue(node, 'checkable')) return []
    const input = inputs.find(({ type, example }) => type === 'string' && says(node, example))
    if (input === undefined || rowAround(node) !== undefined || !isNews(node, ending)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    return [
      {
        ...place,
        check: { kind: 'text', equals: reference(input.name) },
        inputs: [input.name],
        words: `The ${attributeName(node)} is the given ${spoken(input.name)}`,
      },
    ]
  })
}

/** Words that tell what was given among others: as a whole sentence if the rest is the app's own. */
export function mentionClaims(ending: Ending): Claim[] {
  const telling = ending.end.nodes.filter((node) => isTelling(node, ending))
  const sentences = telling.flatMap((node) => sentenceClaim(node, ending))
  const told = new Set(sentences.flatMap(({ inputs }) => inputs))
  const given = ending.inputs.filter(
    ({ name, type, choices }) => type !== 'boolean' && choices === undefined && !told.has(name),
  )
  const mentions = given.flatMap((input) => {
    const node = telling.find((one) => isMentioned(one, input) && !isCounter(one, ending))
    return node === undefined ? [] : mentionClaim(node, input, ending)
  })
  return [...sentences, ...mentions]
}

/** A number that was there before and grew may only happen to be the one that was given. */
function isCounter(node: UiNode, { start, end }: Ending): boolean {
  const was = start && isSameView(start, end) ? nodeAt(start, node.path) : undefined
  return was !== undefined && shownNumber(shownWords(was)) !== undefined
}

function mentionClaim(node: UiNode, input: LearnedInput, { end, locate }: Ending): Claim[] {
  const place = locate(node, end)
  if (place === undefined) return []
  const words = `The ${attributeName(node)} tells the given ${spoken(input.name)}`
  const check =
    input.type === 'number'
      ? ({ kind: 'number', input: input.name } as const)
      : ({ kind: 'mention', contains: reference(input.name) } as const)
  return [{ ...place, check, inputs: [input.name], words }]
}

/** "You sent 25 EUR to Ada" is "You sent ${amount} EUR to ${payee}". */
function sentenceClaim(node: UiNode, ending: Ending): Claim[] {
  const { inputs, end, locate } = ending
  const counts = isCounter(node, ending)
  const given = inputs
    .filter(({ type, example = '' }) => type !== 'boolean' && example !== '')
    .filter(({ example }) => !counts || Number.isNaN(Number(example)))
    .toSorted((a, b) => (b.example?.length ?? 0) - (a.example?.length ?? 0))
  const used: string[] = []
  let rest = literal(shownWords(node))
  for (const { name, example = '' } of given) {
    const found = wordsPattern(literal(example))
    if (!found.test(rest)) continue
    rest = rest.replace(found, `\uE000${name}\uE000`)
    used.push(name)
  }
  const frame = rest.replaceAll(/\uE000\w+\uE000/g, '')
  if (used.length === 0 || !/\p{L}/u.test(frame) || !canBeStructural(frame)) return []
  const place = locate(node, end)
  if (place === undefined) return []
  const equals = rest.replaceAll(/\uE000(\w+)\uE000/g, (_, name: string) => reference(name))
  const told = used.map((name) => `the given ${spoken(name)}`).join(' and ')
  const words = `The ${attributeName(node)} tells ${told}`
  return [{ ...place, check: { kind: 'text', equals }, inputs: used, words }]
}

function isTelling(node: UiNode, ending: Ending): boolean {
  if (node === ending.end.title || isTextField(node) || isTrue(node, 'checkable')) return false
  return rowAround(node) === undefined && isNews(node, ending)
}

function isMentioned(node: UiNode, { type, example }: LearnedInput): boolean {
  const words = shownWords(node)
  if (example === undefined || words === '') return false
  if (type === 'number') {
    const value = shownNumber(words)
    return value !== undefined && isNear(value, Number(example))
  }
  return example.length >= 3 && wordsPattern(example).test(words)
}

/** Words of the app that changed to other words of the app: `Start` is `Stop` now. */
export function flipClaims(ending: Ending): Claim[] {
  const { end, start, locate } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return end.nodes.flatMap((node): Claim[] => {
    const was = nodeAt(start, node.path)
    if (was === undefined || idWords(node) === '' || !isTelling(node, ending)) return []
    const [old, now] = [shownWords(was), shownWords(node)]
    if (resourceId(was) !== resourceId(node) || !canBeStructural(old)) return []
    if (!canBeStructural(now)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    const words = `The ${attributeName(node)} says ${now}`
    return [{ ...place, check: { kind: 'text', equals: literal(now) }, inputs: [], words }]
  })
}

/** What was opened bears the name of what was chosen. */
export function titleClaims({ end, inputs }: Ending): Claim[] {
  const { title } = end
  const input =
    title && inputs.find(({ type, example }) => type === 'string' && says(title, example))
  const place = title && input && titlePlace(title, reference(input.name))
  if (input === undefined || place === undefined) return []
  return [
    {
      ...place,
      check: { kind: 'present' },
      inputs: [input.name],
      words: `The given ${spoken(input.name)} is open`,
    },
  ]
}

/** A count that came down to nought. */
export function zeroClaims(ending: Ending): Claim[] {
  const { end, start, locate } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return end.nodes.flatMap((node) => {
    const was = nodeAt(start, node.path)
    const [before, now] = [was && shownNumber(shownWords(was)), shownNumber(shownWords(node))]
    if (before === undefined || before <= 0 || now !== 0 || idWords(node) === '') return []
    if (rowAround(node) !== undefined || resourceId(was ?? node) !== resourceId(node)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    const words = `The ${attributeName(node)} shows nothing left`
    return [{ ...place, check: { kind: 'count', equals: 0 }, inputs: [], words }]
  })
}

/** A screen that was not there before: something on it that no earlier screen has. */
export function arrivalClaims(ending: Ending, earlier: readonly Screen[]): Claim[] {
  const { end, locate } = ending
  const known = new Set(earlier.flatMap(({ nodes }) => nodes.map(resourceId)))
  const isNew = (node: UiNode) => idWords(node) !== '' && !known.has(resourceId(node))
  const candidates = end.nodes.filter((node) => isNew(node) && rowAround(node) === undefined)
  const said = candidates.filter((node) => shownWords(node) !== '')
  for (const node of [...said, ...candidates]) {
    const place = locate(node, end)
    if (place === undefined) continue
    const words = `The ${idWords(node)} is shown`
    return [{ ...place, check: { kind: 'present' }, inputs: [], words }]
  }
  return []
}

function says(node: UiNode, example: string | undefined): boolean {
  return example !== undefined && example !== '' && shownWords(node) === example
}

function isNews(node: UiNode, { start, end }: Ending): boolean {
  if (start === undefined || !isSameView(start, end)) return true
  const was = nodeAt(start, node.path)
  return was === undefined || shownWords(was) !== shownWords(node)
}
