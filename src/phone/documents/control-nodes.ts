import { z } from 'zod'
import { actionList } from './app-action.ts'
import { ExpressionText, NumberExpression, TemplateValue, TextTemplate, WritablePath } from './field-types.ts'
import { commonFields, NodeId, Pixels } from './node-fields.ts'

export const Toggle = z.strictObject({
  ...commonFields,
  type: z.enum(['switch', 'checkbox']),
  text: TextTemplate.optional(),
  bind: WritablePath,
  on_change: actionList().optional(),
})
export const Radio = z.strictObject({
  ...commonFields,
  type: z.literal('radio'),
  text: TextTemplate.optional(),
  bind: WritablePath,
  value: TemplateValue,
  on_change: actionList().optional(),
})
export const Field = z.strictObject({
  ...commonFields,
  type: z.literal('field'),
  bind: WritablePath,
  hint: TextTemplate.optional(),
  hint_as: z.enum(['text', 'label', 'placeholder', 'description', 'none']).optional(),
  password: z.boolean().optional(),
  multiline: z.boolean().optional(),
  max_length: z.number().int().positive().optional(),
  advance: z.boolean().optional(),
  autofocus: z.boolean().optional(),
  keyboard: z.enum(['letters', 'digits']).optional(),
  on_change: actionList().optional(),
  on_submit: actionList().optional(),
})
export const Slider = z.strictObject({
  ...commonFields,
  type: z.literal('slider'),
  bind: WritablePath,
  min: NumberExpression,
  max: NumberExpression,
  step: NumberExpression.optional(),
  on_change: actionList().optional(),
})
export const Stepper = z.strictObject({
  ...commonFields,
  type: z.literal('stepper'),
  bind: WritablePath,
  min: NumberExpression,
  max: NumberExpression,
  step: NumberExpression.optional(),
  text: TextTemplate.optional(),
  minus_description: TextTemplate.optional(),
  plus_description: TextTemplate.optional(),
  on_change: actionList().optional(),
})

const ChoiceOption = z.strictObject({
  value: TemplateValue,
  text: TextTemplate.optional(),
  icon: TextTemplate.optional(),
  description: TextTemplate.optional(),
  id: NodeId.optional(),
  visible: ExpressionText.optional(),
  enabled: ExpressionText.optional(),
  items: ExpressionText.optional(),
})
export type ChoiceOption = z.infer<typeof ChoiceOption>

export const Choice = z.strictObject({
  ...commonFields,
  type: z.literal('choice'),
  look: z.enum(['segments', 'chips', 'tabs', 'bottom_bar']).optional(),
  bind: WritablePath,
  multiple: z.boolean().optional(),
  options: z.array(ChoiceOption).min(1),
  option_class: z.string().min(1).optional(),
  state_as: z.enum(['checked', 'selected', 'none']).optional(),
  gap: Pixels.optional(),
  on_change: actionList().optional(),
})
export const Wheel = z.strictObject({
  ...commonFields,
  type: z.literal('wheel'),
  bind: WritablePath,
  options: ExpressionText.optional(),
  min: NumberExpression.optional(),
  max: NumberExpression.optional(),
  step: NumberExpression.optional(),
  text: TextTemplate.optional(),
  on_change: actionList().optional(),
})
export const Calendar = z.strictObject({
  ...commonFields,
  type: z.literal('calendar'),
  bind: WritablePath,
  min: ExpressionText.optional(),
  max: ExpressionText.optional(),
  on_change: actionList().optional(),
})
