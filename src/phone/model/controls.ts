import { evaluateNumber, runActions } from './actions.ts'
import type { Action } from '../documents/app-action.ts'
import type { Node, NodeOf } from '../documents/app-node.ts'
import type { App } from './app.ts'
import {
  assign,
  evaluate,
  isTrue,
  toNumber,
  formatValue,
  roundValue,
  type StateValue,
} from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { buildScope, type AppContext } from './scope.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { countCharacters } from './text-metrics.ts'
import { createView, type Layout, type Style, type View } from './view.ts'

type ControlNode = NodeOf<'switch' | 'checkbox' | 'radio' | 'field' | 'slider' | 'stepper' | 'progress'>

interface ControlBase {
  readonly key: string
  readonly packageName: string
  readonly resourceId?: string
  readonly enabled?: boolean
  readonly layout: Partial<Layout>
  readonly style: Partial<Style>
}

/** Creates the view of a control. Touching the view writes to the state path it is bound to. */
export function inflateControl(node: ControlNode, context: AppContext, base: ControlBase): View {
  switch (node.type) {
    case 'switch':
    case 'checkbox':
      return inflateToggle(node, context, base)
    case 'radio':
      return inflateRadio(node, context, base)
    case 'field':
      return inflateField(node, context, base)
    case 'slider':
      return inflateSlider(node, context, base)
    case 'stepper':
      return inflateStepper(node, context, base)
    case 'progress':
      return inflateProgress(node, context, base)
  }
}

interface BoundNode {
  readonly bind: Expression
  readonly on_change?: readonly Action[] | undefined
}

function writeValue(node: BoundNode, context: AppContext, value: StateValue): void {
  if (assign(node.bind, value, buildScope(context))) runActions(context, node.on_change ?? [])
}

const CHECK_SIZE = { width: 120, height: 96 }

function inflateToggle(node: NodeOf<'switch' | 'checkbox'>, context: AppContext, base: ControlBase): View {
  const checked = isTrue(evaluate(node.bind, buildScope(context)))
  const className = node.type === 'switch' ? 'android.widget.Switch' : 'android.widget.CheckBox'
  return createView({
    ...base,
    className: node.class ?? className,
    text: renderTemplate(node.text, buildScope(context)),
    checkable: true,
    checked,
    clickable: node.clickable ?? true,
    focusable: true,
    onTap: () => {
      writeValue(node, context, !checked)
      runActions(context, node.on_tap ?? [])
    },
    layout: { ...base.layout, intrinsic: CHECK_SIZE },
    style: { ...base.style, shape: node.type },
  })
}

function inflateRadio(node: NodeOf<'radio'>, context: AppContext, base: ControlBase): View {
  const scope = buildScope(context)
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
      writeValue(node, context, value)
      runActions(context, node.on_tap ?? [])
    },
    layout: { ...base.layout, intrinsic: CHECK_SIZE },
    style: { ...base.style, shape: 'radio' },
  })
}

const HINT_COLOR = '#757575'

function inflateField(node: NodeOf<'field'>, context: AppContext, base: ControlBase): View {
  const read = (): string => formatValue(evaluate(node.bind, buildScope(context)))
  const value = read()
  const hint = renderTemplate(node.hint, buildScope(context))
  const masked = node.password === true ? '•'.repeat(countCharacters(value)) : value
  const style = value === '' ? { ...base.style, color: HINT_COLOR } : base.style
  return createView({
    ...base,
    className: node.class ?? 'android.widget.EditText',
    text: value === '' ? hint : masked,
    clickable: true,
    focusable: true,
    longClickable: true,
    focused: isFocused(context, base.key),
    password: node.password ?? false,
    field: {
      multiline: node.multiline ?? false,
      read,
      write: (text) => writeValue(node, context, Array.from(text).slice(0, node.max_length).join('')),
      submit: () => runActions(context, node.on_submit ?? []),
    },
    layout: {
      ...base.layout,
      width: node.width ?? 'fill',
      height: node.height ?? (node.multiline === true ? 420 : 147),
      padX: 36,
    },
    style: { ...style, shape: 'field' },
  })
}

function isFocused({ device, screen, dialog }: AppContext, key: string): boolean {
  return device.focus?.key === key && device.focus.windowId === (dialog ?? screen)?.id
}

function inflateSlider(node: NodeOf<'slider'>, context: AppContext, base: ControlBase): View {
  const [min, max] = [evaluateNumber(node.min, context), evaluateNumber(node.max, context)]
  const value = toNumber(evaluate(node.bind, buildScope(context)))
  return createView({
    ...base,
    className: node.class ?? 'android.widget.SeekBar',
    clickable: false,
    focusable: true,
    slider: {
      moveTo: (share) => {
        const step = node.step === undefined ? 1 : evaluateNumber(node.step, context)
        const steps = Math.round((Math.min(1, Math.max(0, share)) * (max - min)) / step)
        writeValue(node, context, roundValue(Math.min(max, min + steps * step)))
      },
    },
    layout: { ...base.layout, width: node.width ?? 'fill', intrinsic: { width: 0, height: 126 } },
    style: { ...base.style, shape: 'slider', fraction: toFraction(value - min, max - min) },
  })
}

function inflateProgress(node: NodeOf<'progress'>, context: AppContext, base: ControlBase): View {
  const max = node.max === undefined ? 100 : evaluateNumber(node.max, context)
  const value = node.value === undefined ? undefined : evaluateNumber(node.value, context)
  return createView({
    ...base,
    className: node.class ?? 'android.widget.ProgressBar',
    layout: {
      ...base.layout,
      width: node.width ?? (value === undefined ? 'wrap' : 'fill'),
      intrinsic: { width: 126, height: value === undefined ? 126 : 48 },
    },
    style: {
      ...base.style,
      shape: 'progress',
      ...(value !== undefined && { fraction: toFraction(value, max) }),
    },
  })
}

function toFraction(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole))
}

/** A row of minus button, value and plus button. A button is disabled at its end of the range. */
function inflateStepper(node: NodeOf<'stepper'>, context: AppContext, base: ControlBase): View {
  const value = toNumber(evaluate(node.bind, buildScope(context)))
  const step = node.step === undefined ? 1 : evaluateNumber(node.step, context)
  const valueText = node.text === undefined ? formatValue(value) : renderTemplate(node.text, buildScope(context))
  const minus = {
    node,
    context,
    base,
    target: Math.max(evaluateNumber(node.min, context), roundValue(value - step)),
  }
  const plus = {
    node,
    context,
    base,
    target: Math.min(evaluateNumber(node.max, context), roundValue(value + step)),
  }
  const label = createView({
    key: `${base.key}/value`,
    packageName: base.packageName,
    className: 'android.widget.TextView',
    resourceId: toPartId(context.app, node, 'value'),
    text: valueText,
    index: 1,
    layout: { width: 'fill' },
    style: { ...base.style, textAlign: 'center' },
  })
  return createView({
    ...base,
    className: node.class ?? 'android.widget.LinearLayout',
    children: [
      inflateStepButton({ ...minus, part: 'minus', text: '-', at: value }),
      label,
      inflateStepButton({ ...plus, part: 'plus', text: '+', at: value }),
    ],
    layout: { ...base.layout, flow: 'row', align: 'center', width: node.width ?? 480 },
  })
}

interface StepButton {
  readonly node: NodeOf<'stepper'>
  readonly context: AppContext
  readonly base: ControlBase
  readonly part: 'minus' | 'plus'
  readonly text: string
  readonly at: number
  readonly target: number
}

function inflateStepButton({ node, context, base, part, text, at, target }: StepButton): View {
  const template = part === 'minus' ? node.minus_description : node.plus_description
  const fallback = part === 'minus' ? 'Decrease' : 'Increase'
  return createView({
    key: `${base.key}/${part}`,
    packageName: base.packageName,
    className: 'android.widget.Button',
    resourceId: toPartId(context.app, node, part),
    index: part === 'minus' ? 0 : 2,
    text,
    description: template === undefined ? fallback : renderTemplate(template, buildScope(context)),
    clickable: true,
    focusable: true,
    enabled: base.enabled !== false && target !== at,
    onTap: () => writeValue(node, context, target),
    layout: { width: 126, height: 126 },
    style: { ...base.style, shape: 'button', textAlign: 'center' },
  })
}

function toPartId(app: App, node: Node, part: string): string {
  return node.id === undefined ? '' : `${app.document.package}:id/${node.id}_${part}`
}
