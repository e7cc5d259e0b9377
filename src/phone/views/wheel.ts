import type { NodeOf } from '../documents/app-node.ts'
import { evaluate, toList, type StateValue } from '../documents/evaluation.ts'
import { formatValue, roundValue } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { evaluateNumber } from '../model/state-changes.ts'
import { createView, type View } from '../model/view.ts'
import { writeValue } from './controls.ts'
import type { ViewBase } from './view-base.ts'

type WheelNode = NodeOf<'wheel'>

const ROW_HEIGHT = 150
const MAX_VALUES = 1000

/** Creates a number picker: the value before, the current value and the value after it. */
export function inflateWheel(node: WheelNode, context: AppContext, base: ViewBase): View {
  const values = listValues(node, context)
  const current = evaluate(node.bind, buildScope(context))
  const at = Math.max(
    0,
    values.findIndex((value) => value === current),
  )
  const format = (value: unknown): string =>
    node.text === undefined
      ? formatValue(value)
      : renderTemplate(node.text, buildScope({ ...context, names: { ...context.names, it: value } }))
  const turn = (by: number): void => {
    const next = values[Math.min(values.length - 1, Math.max(0, at + by))]
    if (next !== undefined && next !== current) writeValue(node, context, next)
  }
  const parts = [
    { part: 'before', by: -1 },
    { part: 'value', by: 0 },
    { part: 'after', by: 1 },
  ].filter(({ by }) => values[at + by] !== undefined)
  const children = parts.map(({ part, by }, index) =>
    createWheelPart({ base, part, by, index, text: format(values[at + by]), turn }),
  )
  const rows = (distance: number): number => Math.max(1, Math.round(distance / ROW_HEIGHT))
  return createView({
    ...base,
    className: node.class ?? 'android.widget.NumberPicker',
    children,
    onSwipe: { ...base.onSwipe, up: (distance) => turn(rows(distance)), down: (distance) => turn(-rows(distance)) },
    layout: { ...base.layout, flow: 'column', align: 'center', width: node.width ?? 240 },
  })
}

function listValues(node: WheelNode, context: AppContext): readonly StateValue[] {
  if (node.options !== undefined) return toList(evaluate(node.options, buildScope(context))) as StateValue[]
  const read = (expression: WheelNode['min'], otherwise: number): number =>
    expression === undefined ? otherwise : evaluateNumber(expression, context)
  const [min, max, step] = [read(node.min, 0), read(node.max, 0), read(node.step, 1)]
  const count = step <= 0 ? 0 : Math.floor(roundValue((max - min) / step)) + 1
  return Array.from({ length: Math.min(MAX_VALUES, Math.max(0, count)) }, (_unused, index) =>
    roundValue(min + index * step),
  )
}

interface WheelPart {
  readonly base: ViewBase
  readonly part: string
  /** Distance from the current value. */
  readonly by: number
  readonly index: number
  readonly text: string
  readonly turn: (by: number) => void
}

function createWheelPart({ base, part, by, index, text, turn }: WheelPart): View {
  const isCurrent = by === 0
  return createView({
    key: `${base.key}/${part}`,
    packageName: base.packageName,
    className: isCurrent ? 'android.widget.EditText' : 'android.widget.Button',
    resourceId: isCurrent ? 'android:id/numberpicker_input' : '',
    index,
    text,
    clickable: true,
    focusable: isCurrent,
    longClickable: true,
    enabled: base.enabled !== false,
    onTap: () => turn(by),
    layout: { width: 'fill', height: ROW_HEIGHT },
    style: { ...base.style, textAlign: 'center', size: isCurrent ? 57 : 42, color: isCurrent ? '#212121' : '#757575' },
  })
}
