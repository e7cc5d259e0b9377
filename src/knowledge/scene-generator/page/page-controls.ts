import type { SceneControl } from '@apprentice/contracts/scenes/analysis.ts'
import { SCENARIO_LIMITS } from '../source/scenario.ts'
import {
  describeElement,
  isElement,
  listByTag,
  listElements,
  locate,
  type PageElement,
  readAttribute,
  readText,
} from './page-tree.ts'

const BUTTONS = new Set(['button', 'submit', 'reset', 'image', 'file'])
const KINDS: Readonly<Record<string, SceneControl['kind']>> = {
  date: 'date',
  month: 'month',
  week: 'week',
  text: 'text',
  search: 'text',
  '': 'text',
}

/** A control that has an id or a name. Others cannot be referred to. */
export function readControl(path: string, element: PageElement, elements: readonly PageElement[]): SceneControl[] {
  const type = (readAttribute(element, 'type') ?? '').toLowerCase()
  const key = readAttribute(element, 'id') ?? readAttribute(element, 'name') ?? readAttribute(element, 'v-model') ?? ''
  if (key === '' || (element.tagName === 'input' && BUTTONS.has(type))) return []
  const label = readLabel(element, elements)
  return [
    {
      key: key.slice(0, 200),
      kind: element.tagName === 'select' ? 'select' : (KINDS[type] ?? 'other'),
      ...(label === '' ? {} : { label: label.slice(0, 200) }),
      options: listOptions(element),
      evidence: locate(path, element, describeElement(element)),
    },
  ]
}

/** The choices with a value. A choice without one is the prompt of the control. */
function listOptions(element: PageElement): SceneControl['options'] {
  return listByTag(listElements(element), 'option')
    .map((option) => {
      const label = readText(option)
      return { label: label.slice(0, 200), code: (readAttribute(option, 'value') ?? label).slice(0, 200) }
    })
    .filter(({ label, code }) => label !== '' && code !== '')
    .slice(0, SCENARIO_LIMITS.entries)
}

function readLabel(element: PageElement, elements: readonly PageElement[]): string {
  const id = readAttribute(element, 'id')
  const forIt =
    id === undefined ? undefined : listByTag(elements, 'label').find((one) => readAttribute(one, 'for') === id)
  const label = forIt ?? findLabelAround(element)
  if (label !== undefined) return readOwnText(label)
  return readAttribute(element, 'aria-label') ?? readAttribute(element, 'placeholder') ?? ''
}

function findLabelAround({ parentNode }: PageElement): PageElement | undefined {
  let node = parentNode
  while (node !== null && isElement(node)) {
    if (node.tagName === 'label') return node
    node = node.parentNode
  }
  return undefined
}

/** The text of a label without the choices of the control in it. */
const readOwnText = (label: PageElement): string =>
  label.childNodes
    .filter((node) => !isElement(node) || node.tagName !== 'select')
    .map(readText)
    .join(' ')
    .trim()
