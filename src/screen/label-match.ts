import { type UiNode, attribute } from './tree/hierarchy.ts'
import { splitLabel } from './structure/label-parts.ts'

/** The text and the content description of a node, if they are not blank. */
export function readLabels(node: UiNode): string[] {
  return [attribute(node, 'text'), attribute(node, 'content-desc')].filter((label) => label.trim() !== '')
}

/** Whether the label of a node, or one part of it, equals a text. Case, spaces and width of letters are ignored. */
export function equalsPart(node: UiNode, text: string): boolean {
  const wanted = normalizeLabel(text)
  return readLabels(node).some((label) => {
    const whole = normalizeLabel(label)
    if (!whole.includes(wanted)) return false
    return (
      whole === wanted || splitLabel(label).some((part) => normalizeLabel(part) === wanted) || hasSpan(label, wanted)
    )
  })
}

/** Whether consecutive lines of a label equal a text that contains separators itself. */
function hasSpan(label: string, wanted: string): boolean {
  return label.split(/[\r\n]+/u).some((line) => normalizeLabel(line) === wanted)
}

export function normalizeLabel(label: string): string {
  return label
    .normalize('NFKC')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}
