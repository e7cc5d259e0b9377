import type { Action } from '../documents/app-action.ts'
import type { NodeOf } from '../documents/app-node.ts'
import { assign, evaluate, formatValue, isTrue, roundValue, toNumber } from '../documents/evaluation.ts'
import type { StateValue } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { runActions } from '../model/actions.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { evaluateNumber } from '../model/state-changes.ts'
import { createView, type View } from '../model/view.ts'
import { createField, focusOnce } from './field.ts'
import { toResourceId, type ViewBase } from './view-base.ts'

type ControlNode = NodeOf<'switch' | 'checkbox' | 'radio' | 'field' | 'slider' | 'stepper' | 'progress'>

/** Creates the view of a control. Touching the view writes to the state path it is bound to. */
export function inflateControl(node: ControlNode, context: AppContext, base: ViewBase): View {
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

export interface BoundNode {
  readonly bind: Expression
  readonly on_change?: readonly Action[] | undefined
}

/** Writes the value of a control and runs its `on_change` actions. */
export function writeValue(node: BoundNode, context: AppContext, value: StateValue): void {
  if (assign(node.bind, value, buildScope(context))) runActions(context, node.on_change ?? [])
}

const CHECK_SIZE = { width: 120, height: 96 }

function inflateToggle(node: NodeOf<'switch' | 'checkbox'>, context: AppContext, base: ViewBase): View {
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

function inflateRadio(node: NodeOf<'radio'>, context: AppContext, base: ViewBase): View {
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

function inflateField(node: NodeOf<'field'>, context: AppContext, base: ViewBase): View {
  if (node.autofocus === true) focusOnce(context, base.key)
  return createField({
    base,
    context,
    className: node.class ?? 'android.widget.EditText',
    hint: renderTemplate(node.hint, buildScope(context)),
    hintAs: node.hint_as ?? 'text',
    password: node.password ?? false,
    control: {
      multiline: node.multiline ?? false,
      keyboard: node.keyboard ?? 'letters',
      advanceAt: node.advance === true ? node.max_length : undefined,
      read: () => formatValue(evaluate(node.bind, buildScope(context))),
      write: (text) => writeValue(node, context, Array.from(text).slice(0, node.max_length).join('')),
      submit: () => runActions(context, node.on_submit ?? []),
    },
    layout: {
      width: node.width ?? 'fill',
      height: node.height ?? (node.multiline === true ? 420 : 147),
      padX: 36,
    },
  })
}

function inflateSlider(node: NodeOf<'slider'>, context: AppContext, base: ViewBase): View {
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

function inflateProgress(node: NodeOf<'progress'>, context: AppContext, base: ViewBase): View {
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
function inflateStepper(node: NodeOf<'stepper'>, context: AppContext, base: ViewBase): View {
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
    resourceId: toPartId(base, node, 'value'),
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
  readonly base: ViewBase
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
    resourceId: toPartId(base, node, part),
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

function toPartId({ packageName }: ViewBase, { id }: NodeOf<'stepper'>, part: string): string {
  return id === undefined ? '' : toResourceId(packageName, `${id}_${part}`)
}
