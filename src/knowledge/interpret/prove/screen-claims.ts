import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isNear, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import type { Claim } from './claims.ts'
import { nameAttribute, type Ending } from './ending.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { buildTextPattern } from '../align/examples.ts'
import { escapeReferences, formatReference } from '../read/matching.ts'
import { findRowAround } from '../read/rows.ts'
import { isSameView, isTextField, findNode, type Screen } from '../read/screen.ts'
import { locateTitle } from '../read/selectors.ts'
import { isStructuralText } from '../read/structural-text.ts'
import { formatId, resourceId, readText, formatName } from '../read/node-text.ts'

/** Claims that a text outside all lists now equals an input. */
export function textClaims(ending: Ending): Claim[] {
  const { end, inputs, locate } = ending
  return end.nodes.flatMap((node) => {
    if (node === end.title || isTextField(node) || isTrue(node, 'checkable')) return []
    const input = inputs.find(({ type, example }) => type === 'string' && hasText(node, example))
    if (input === undefined || findRowAround(node) !== undefined || !isNewText(node, ending)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    return [
      {
        ...place,
        check: { kind: 'text', equals: formatReference(input.name) },
        inputs: [input.name],
        text: `The ${nameAttribute(node)} is the given ${formatName(input.name)}`,
      },
    ]
  })
}

/** Claims that a text now contains inputs. If the rest belongs to the app, the whole text is claimed. */
export function mentionClaims(ending: Ending): Claim[] {
  const nodes = ending.end.nodes.filter((node) => isNewLabel(node, ending))
  const sentences = nodes.flatMap((node) => sentenceClaim(node, ending))
  const covered = new Set(sentences.flatMap(({ inputs }) => inputs))
  const uncovered = ending.inputs.filter(
    ({ name, type, choices }) => type !== 'boolean' && choices === undefined && !covered.has(name),
  )
  const mentions = uncovered.flatMap((input) => {
    const node = nodes.find((one) => isMentioned(one, input) && !isCounter(one, ending))
    return node === undefined ? [] : mentionClaim(node, input, ending)
  })
  return [...sentences, ...mentions]
}

/** A text that had a number before is a counter: it may equal the input by chance. */
function isCounter(node: UiNode, { start, end }: Ending): boolean {
  const was = start && isSameView(start, end) ? findNode(start, node.path) : undefined
  return was !== undefined && parseDisplayedNumber(readText(was)) !== undefined
}

function mentionClaim(node: UiNode, input: LearnedInput, { end, locate }: Ending): Claim[] {
  const place = locate(node, end)
  if (place === undefined) return []
  const text = `The ${nameAttribute(node)} contains the given ${formatName(input.name)}`
  const check =
    input.type === 'number'
      ? ({ kind: 'number', input: input.name } as const)
      : ({ kind: 'mention', contains: formatReference(input.name) } as const)
  return [{ ...place, check, inputs: [input.name], text }]
}

/** "You sent 25 EUR to Ada" becomes "You sent ${amount} EUR to ${payee}". */
function sentenceClaim(node: UiNode, ending: Ending): Claim[] {
  const { inputs, end, locate } = ending
  const isCount = isCounter(node, ending)
  const candidates = inputs
    .filter(({ type, example = '' }) => type !== 'boolean' && example !== '')
    .filter(({ example }) => !isCount || Number.isNaN(Number(example)))
    .toSorted((a, b) => (b.example?.length ?? 0) - (a.example?.length ?? 0))
  const used: string[] = []
  let rest = escapeReferences(readText(node))
  for (const { name, example = '' } of candidates) {
    const pattern = buildTextPattern(escapeReferences(example))
    if (!pattern.test(rest)) continue
    rest = rest.replace(pattern, `\uE000${name}\uE000`)
    used.push(name)
  }
  const frame = rest.replaceAll(/\uE000\w+\uE000/g, '')
  if (used.length === 0 || !/\p{L}/u.test(frame) || !isStructuralText(frame)) return []
  const place = locate(node, end)
  if (place === undefined) return []
  const equals = rest.replaceAll(/\uE000(\w+)\uE000/g, (_, name: string) => formatReference(name))
  const values = used.map((name) => `the given ${formatName(name)}`).join(' and ')
  const text = `The ${nameAttribute(node)} contains ${values}`
  return [{ ...place, check: { kind: 'text', equals }, inputs: used, text }]
}

/** Whether a node outside lists has a new text and is no control. */
function isNewLabel(node: UiNode, ending: Ending): boolean {
  if (node === ending.end.title || isTextField(node) || isTrue(node, 'checkable')) return false
  return findRowAround(node) === undefined && isNewText(node, ending)
}

function isMentioned(node: UiNode, { type, example }: LearnedInput): boolean {
  const text = readText(node)
  if (example === undefined || text === '') return false
  if (type === 'number') {
    const value = parseDisplayedNumber(text)
    return value !== undefined && isNear(value, Number(example))
  }
  return example.length >= 3 && buildTextPattern(example).test(text)
}

/** Claims that a label of the app changed to another one: from `Start` to `Stop`. */
export function labelChangeClaims(ending: Ending): Claim[] {
  const { end, start, locate } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return end.nodes.flatMap((node): Claim[] => {
    const was = findNode(start, node.path)
    if (was === undefined || formatId(node) === '' || !isNewLabel(node, ending)) return []
    const [old, now] = [readText(was), readText(node)]
    if (resourceId(was) !== resourceId(node) || !isStructuralText(old)) return []
    if (!isStructuralText(now)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    const text = `The ${nameAttribute(node)} says ${now}`
    return [{ ...place, check: { kind: 'text', equals: escapeReferences(now) }, inputs: [], text }]
  })
}

/** A claim that the title of the screen is an input. */
export function titleClaims({ end, inputs }: Ending): Claim[] {
  const { title } = end
  const input = title && inputs.find(({ type, example }) => type === 'string' && hasText(title, example))
  const place = title && input && locateTitle(title, formatReference(input.name))
  if (input === undefined || place === undefined) return []
  return [
    {
      ...place,
      check: { kind: 'present' },
      inputs: [input.name],
      text: `The given ${formatName(input.name)} is open`,
    },
  ]
}

/** Claims that a counter became zero. */
export function zeroClaims(ending: Ending): Claim[] {
  const { end, start, locate } = ending
  if (start === undefined || !isSameView(start, end)) return []
  return end.nodes.flatMap((node) => {
    const was = findNode(start, node.path)
    const [before, now] = [was && parseDisplayedNumber(readText(was)), parseDisplayedNumber(readText(node))]
    if (before === undefined || before <= 0 || now !== 0 || formatId(node) === '') return []
    if (findRowAround(node) !== undefined || resourceId(was ?? node) !== resourceId(node)) return []
    const place = locate(node, end)
    if (place === undefined) return []
    const text = `The ${nameAttribute(node)} shows zero`
    return [{ ...place, check: { kind: 'count', equals: 0 }, inputs: [], text }]
  })
}

/** A claim that a node is present which no earlier screen has. */
export function arrivalClaims(ending: Ending, earlier: readonly Screen[]): Claim[] {
  const { end, locate } = ending
  const known = new Set(earlier.flatMap(({ nodes }) => nodes.map(resourceId)))
  const isNew = (node: UiNode) => formatId(node) !== '' && !known.has(resourceId(node))
  const candidates = end.nodes.filter((node) => isNew(node) && findRowAround(node) === undefined)
  const labelled = candidates.filter((node) => readText(node) !== '')
  for (const node of [...labelled, ...candidates]) {
    const place = locate(node, end)
    if (place === undefined) continue
    const text = `The ${formatId(node)} is shown`
    return [{ ...place, check: { kind: 'present' }, inputs: [], text }]
  }
  return []
}

function hasText(node: UiNode, example: string | undefined): boolean {
  return example !== undefined && example !== '' && readText(node) === example
}

function isNewText(node: UiNode, { start, end }: Ending): boolean {
  if (start === undefined || !isSameView(start, end)) return true
  const was = findNode(start, node.path)
  return was === undefined || readText(was) !== readText(node)
}
