import { z } from 'zod'
import { actionList } from './app-action.ts'
import {
  Color,
  ExpressionText,
  NumberExpression,
  TemplateRecord,
  TemplateValue,
  TextTemplate,
  WritablePath,
} from './field-types.ts'

const Pixels = z.number().int().nonnegative()
const Extent = z.union([Pixels, z.enum(['fill', 'wrap'])])
const Alignment = z.enum(['start', 'center', 'end'])

const commonFields = {
  id: z
    .string()
    .regex(/^[A-Za-z][\w.]*(:id\/\w+)?$/, 'write an id as "save" or "android:id/title"')
    .optional(),
  class: z.string().min(1).optional(),
  description: TextTemplate.optional(),
  visible: ExpressionText.optional(),
  enabled: ExpressionText.optional(),
  selected: ExpressionText.optional(),
  clickable: z.boolean().optional(),
  focusable: z.boolean().optional(),
  on_tap: actionList().optional(),
  on_long_press: actionList().optional(),
  width: Extent.optional(),
  height: Extent.optional(),
  weight: z.number().positive().optional(),
  padding: z.union([Pixels, z.tuple([Pixels, Pixels])]).optional(),
  at: z.strictObject({ x: Pixels, y: Pixels, width: Pixels, height: Pixels }).optional(),
  background: Color.optional(),
  color: Color.optional(),
  size: z.number().int().min(10).max(200).optional(),
  bold: z.boolean().optional(),
  align: Alignment.optional(),
}

const Text = z.strictObject({ ...commonFields, type: z.literal('text'), text: TextTemplate })
const Button = z.strictObject({ ...commonFields, type: z.literal('button'), text: TextTemplate })
const Image = z.strictObject({
  ...commonFields,
  type: z.literal('image'),
  icon: TextTemplate.optional(),
})
const Blank = z.strictObject({ ...commonFields, type: z.enum(['spacer', 'divider']) })
const Progress = z.strictObject({
  ...commonFields,
  type: z.literal('progress'),
  value: NumberExpression.optional(),
  max: NumberExpression.optional(),
})

const Toggle = z.strictObject({
  ...commonFields,
  type: z.enum(['switch', 'checkbox']),
  text: TextTemplate.optional(),
  bind: WritablePath,
  on_change: actionList().optional(),
})
const Radio = z.strictObject({
  ...commonFields,
  type: z.literal('radio'),
  text: TextTemplate.optional(),
  bind: WritablePath,
  value: TemplateValue,
  on_change: actionList().optional(),
})
const Field = z.strictObject({
  ...commonFields,
  type: z.literal('field'),
  bind: WritablePath,
  hint: TextTemplate.optional(),
  password: z.boolean().optional(),
  multiline: z.boolean().optional(),
  max_length: z.number().int().positive().optional(),
  on_change: actionList().optional(),
  on_submit: actionList().optional(),
})
const Slider = z.strictObject({
  ...commonFields,
  type: z.literal('slider'),
  bind: WritablePath,
  min: NumberExpression,
  max: NumberExpression,
  step: NumberExpression.optional(),
  on_change: actionList().optional(),
})
const Stepper = z.strictObject({
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

const Box = z.strictObject({
  ...commonFields,
  type: z.enum(['row', 'column', 'stack', 'scroll']),
  gap: Pixels.optional(),
  get children(): NodeList {
    return nodeList()
  },
})
const Repeated = z.strictObject({
  ...commonFields,
  type: z.enum(['list', 'each']),
  items: ExpressionText,
  where: ExpressionText.optional(),
  sort_by: ExpressionText.optional(),
  columns: z.number().int().min(1).max(12).optional(),
  direction: z.enum(['vertical', 'horizontal']).optional(),
  gap: Pixels.optional(),
  get template(): NodeList {
    return nodeList()
  },
  get empty(): z.ZodOptional<NodeList> {
    return nodeList().optional()
  },
})
const Use = z.strictObject({
  ...commonFields,
  type: z.literal('use'),
  component: z.string(),
  with: TemplateRecord.optional(),
})

export const Node = z.discriminatedUnion('type', [
  Text,
  Button,
  Image,
  Blank,
  Progress,
  Toggle,
  Radio,
  Field,
  Slider,
  Stepper,
  Box,
  Repeated,
  Use,
])
export type Node = z.infer<typeof Node>
/** The members of the union whose `type` includes T. */
export type NodeOf<T extends Node['type']> = Node extends infer N
  ? N extends { readonly type: Node['type'] }
    ? [N['type'] & T] extends [never]
      ? never
      : N
    : never
  : never

interface NodeList extends z.ZodArray<typeof Node> {}

export function nodeList(): NodeList {
  return z.array(Node)
}
