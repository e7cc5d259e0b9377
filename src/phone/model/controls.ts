import { amount, runActions } from './actions.ts'
import type { Action } from '../documents/app-action.ts'
import type { Node, NodeOf } from '../documents/app-node.ts'
import type { App } from './app.ts'
import {
  assign,
  evaluate,
  isTrue,
  numberOf,
  showValue,
  tidy,
  type StateValue,
} from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { scopeOf, type Spot } from './scope.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { lengthOf } from './text-metrics.ts'
import { createView, type Layout, type Look, type View } from './view.ts'

type ControlNode = NodeOf<
  'switch' | 'checkbox' | 'radio' | 'field' | 'slider' | 'stepper' | 'progress'
>

interface Base {
  readonly key: string
  readonly packageName: string
  readonly resourceId?: string
  readonly enabled?: boolean
  readonly layout: Partial<Layout>
  readonly look: Partial<Look>
}

/** Views bound to a place in the state: touching one writes there. */
export function inflateControl(node: ControlNode, spot: Spot, base: Base): View {
  switch (node.type) {
    case 'switch':
    case 'checkbox':
      return toggleView(node, spot, base)
    case 'radio':
      return radioView(node, spot, base)
    case 'field':
      return fieldView(node, spot, base)
    case 'slider':
      return sliderView(node, spot, base)
    case 'stepper':
      return stepperView(node, spot, base)
    case 'progress':
      return progressView(node, spot, base)
  }
}

interface Bound {
  readonly bind: Expression
  readonly on_change?: readonly Action[] | undefined
}

function change(node: Bound, spot: Spot, value: StateValue): void {
  if (assign(node.bind, value, scopeOf(spot))) runActions(spot, node.on_change ?? [])
}

const CHECK_SIZE = { width: 120, height: 96 }

function toggleView(node: NodeOf<'switch' | 'checkbox'>, spot: Spot, base: Base): View {
  const checked = isTrue(evaluate(node.bind, scopeOf(spot)))
  const className = node.type === 'switch' ? 'android.widget.Switch' : 'android.widget.CheckBox'
  return createView({
    ...base,
    className: node.class ?? className,
    text: renderTemplate(node.text, scopeOf(spot)),
    checkable: true,
    checked,
    clickable: node.clickable ?? true,
    focusable: true,
    onTap: () => {
      change(node, spot, !checked)
      runActions(spot, node.on_tap ?? [])
    },
    layout: { ...base.layout, intrinsic: CHECK_SIZE },
    look: { ...base.look, shape: node.type },
  })
}

function radioView(node: NodeOf<'radio'>, spot: Spot, base: Base): View {
  const scope = scopeOf(spot)
  const value = fillValue(node.value, scope)
  const current = evaluate(node.bind, scope)
  return createView({
    ...base,
    className: node.class ?? 'android.widget.RadioButton',
    text: renderTemplate(node.text, scope),
    checkable: true,
    checked: JSON.stringify(current) === JSON.stringify(value),
    clickable: true,
    focusable: true,
    onTap: () => {
      change(node, spot, value)
      runActions(spot, node.on_tap ?? [])
    },
    layout: { ...base.layout, intrinsic: CHECK_SIZE },
    look: { ...base.look, shape: 'radio' },
  })
}

const HINT_COLOUR = '#757575'

function fieldView(node: NodeOf<'field'>, spot: Spot, base: Base): View {
  const read = (): string => showValue(evaluate(node.bind, scopeOf(spot)))
  const value = read()
  const hint = renderTemplate(node.hint, scopeOf(spot))
  const masked = node.password === true ? '•'.repeat(lengthOf(value)) : value
  const look = value === '' ? { ...base.look, color: HINT_COLOUR } : base.look
  return createView({
    ...base,
    className: node.class ?? 'android.widget.EditText',
    text: value === '' ? hint : masked,
    clickable: true,
    focusable: true,
    longClickable: true,
    focused: isFocused(spot, base.key),
    password: node.password ?? false,
    field: {
      multiline: node.multiline ?? false,
      read,
      write: (text) => change(node, spot, Array.from(text).slice(0, node.max_length).join('')),
      submit: () => runActions(spot, node.on_submit ?? []),
    },
    layout: {
      ...base.layout,
      width: node.width ?? 'fill',
      height: node.height ?? (node.multiline === true ? 420 : 147),
      padX: 36,
    },
    look: { ...look, shape: 'field' },
  })
}

function isFocused({ device, screen, dialog }: Spot, key: string): boolean {
  return device.focus?.key === key && device.focus.windowId === (dialog ?? screen)?.id
}

function sliderView(node: NodeOf<'slider'>, spot: Spot, base: Base): View {
  const [min, max] = [amount(node.min, spot), amount(node.max, spot)]
  const value = numberOf(evaluate(node.bind, scopeOf(spot)))
  return createView({
    ...base,
    className: node.class ?? 'android.widget.SeekBar',
    clickable: false,
    focusable: true,
    slider: {
      moveTo: (share) => {
        const step = node.step === undefined ? 1 : amount(node.step, spot)
        const steps = Math.round((Math.min(1, Math.max(0, share)) * (max - min)) / step)
        change(node, spot, tidy(Math.min(max, min + steps * step)))
      },
    },
    layout: { ...base.layout, width: node.width ?? 'fill', intrinsic: { width: 0, height: 126 } },
    look: { ...base.look, shape: 'slider', fraction: share(value - min, max - min) },
  })
}

function progressView(node: NodeOf<'progress'>, spot: Spot, base: Base): View {
  const max = node.max === undefined ? 100 : amount(node.max, spot)
  const value = node.value === undefined ? undefined : amount(node.value, spot)
  return createView({
    ...base,
    className: node.class ?? 'android.widget.ProgressBar',
    layout: {
      ...base.layout,
      width: node.width ?? (value === undefined ? 'wrap' : 'fill'),
      intrinsic: { width: 126, height: value === undefined ? 126 : 48 },
    },
    look: {
      ...base.look,
      shape: 'progress',
      ...(value !== undefined && { fraction: share(value, max) }),
    },
  })
}

function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole))
}

/** A row of minus, value and plus; the buttons go dead at the ends of the range. */
function stepperView(node: NodeOf<'stepper'>, spot: Spot, base: Base): View {
  const value = numberOf(evaluate(node.bind, scopeOf(spot)))
  const step = node.step === undefined ? 1 : amount(node.step, spot)
  const shown =
    node.text === undefined ? showValue(value) : renderTemplate(node.text, scopeOf(spot))
  const minus = { node, spot, base, target: Math.max(amount(node.min, spot), tidy(value - step)) }
  const plus = { node, spot, base, target: Math.min(amount(node.max, spot), tidy(value + step)) }
  const label = createView({
    key: `${base.key}/value`,
    packageName: base.packageName,
    className: 'android.widget.TextView',
    resourceId: partId(spot.app, node, 'value'),
    text: shown,
    index: 1,
    layout: { width: 'fill' },
    look: { ...base.look, textAlign: 'center' },
  })
  return createView({
    ...base,
    className: node.class ?? 'android.widget.LinearLayout',
    children: [
      stepButton({ ...minus, part: 'minus', text: '-', at: value }),
      label,
      stepButton({ ...plus, part: 'plus', text: '+', at: value }),
    ],
    layout: { ...base.layout, flow: 'row', align: 'center', width: node.width ?? 480 },
  })
}

interface StepButton {
  readonly node: NodeOf<'stepper'>
  readonly spot: Spot
  readonly base: Base
  readonly part: 'minus' | 'plus'
  readonly text: string
  readonly at: number
  readonly target: number
}

function stepButton({ node, spot, base, part, text, at, target }: StepButton): View {
  const words = part === 'minus' ? node.minus_description : node.plus_description
  const fallback = part === 'minus' ? 'Decrease' : 'Increase'
  return createView({
    key: `${base.key}/${part}`,
    packageName: base.packageName,
    className: 'android.widget.Button',
    resourceId: partId(spot.app, node, part),
    index: part === 'minus' ? 0 : 2,
    text,
    description: words === undefined ? fallback : renderTemplate(words, scopeOf(spot)),
    clickable: true,
    focusable: true,
    enabled: base.enabled !== false && target !== at,
    onTap: () => change(node, spot, target),
    layout: { width: 126, height: 126 },
    look: { ...base.look, shape: 'button', textAlign: 'center' },
  })
}

function partId(app: App, node: Node, part: string): string {
  return node.id === undefined ? '' : `${app.document.package}:id/${node.id}_${part}`
}
