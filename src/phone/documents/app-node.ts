import { z } from 'zod'
import { actionList } from './app-action.ts'
import { Amount, Condition, FilledRecord, FilledValue, Place, Words } from './field-types.ts'

const Pixels = z.number().int().nonnegative()
const Extent = z.union([Pixels, z.enum(['fill', 'wrap'])])
const Colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'write a colour as #rrggbb')
const Alignment = z.enum(['start', 'center', 'end'])

const common = {
  id: z
    .string()
    .regex(/^[A-Za-z][\w.]*(:id\/\w+)?$/, 'write an id as "save" or "android:id/title"')
    .optional(),
  class: z.string().min(1).optional(),
  description: Words.optional(),
  visible: Condition.optional(),
  enabled: Condition.optional(),
  selected: Condition.optional(),
  clickable: z.boolean().optional(),
  focusable: z.boolean().optional(),
  on_tap: actionList().optional(),
  on_long_press: actionList().optional(),
  width: Extent.optional(),
  height: Extent.optional(),
  weight: z.number().positive().optional(),
  padding: z.union([Pixels, z.tuple([Pixels, Pixels])]).optional(),
  at: z.strictObject({ x: Pixels, y: Pixels, width: Pixels, height: Pixels }).optional(),
  background: Colour.optional(),
  color: Colour.optional(),
  size: z.number().int().min(10).max(200).optional(),
  bold: z.boolean().optional(),
  align: Alignment.optional(),
}

const Text = z.strictObject({ ...common, type: z.literal('text'), text: Words })
const Button = z.strictObject({ ...common, type: z.literal('button'), text: Words })
const Image = z.strictObject({ ...common, type: z.literal('image'), icon: Words.optional() })
const Blank = z.strictObject({ ...common, type: z.enum(['spacer', 'divider']) })
const Progress = z.strictObject({
  ...common,
  type: z.literal('progress'),
  value: Amount.optional(),
  max: Amount.optional(),
})

const Toggle = z.strictObject({
  ...common,
  type: z.enum(['switch', 'checkbox']),
  text: Words.optional(),
  bind: Place,
  on_change: actionList().optional(),
})
const Radio = z.strictObject({
  ...common,
  type: z.literal('radio'),
  text: Words.optional(),
  bind: Place,
  value: FilledValue,
  on_change: actionList().optional(),
})
const Field = z.strictObject({
  ...common,
  type: z.literal('field'),
  bind: Place,
  hint: Words.optional(),
  password: z.boolean().optional(),
  multiline: z.boolean().optional(),
  max_length: z.number().int().positive().optional(),
  on_change: actionList().optional(),
  on_submit: actionList().optional(),
})
const Slider = z.strictObject({
  ...common,
  type: z.literal('slider'),
  bind: Place,
  min: Amount,
  max: Amount,
  step: Amount.optional(),
  on_change: actionList().optional(),
})
const Stepper = z.strictObject({
  ...common,
  type: z.literal('stepper'),
  bind: Place,
  min: Amount,
  max: Amount,
  step: Amount.optional(),
  text: Words.optional(),
  minus_description: Words.optional(),
  plus_description: Words.optional(),
  on_change: actionList().optional(),
})

const Box = z.strictObject({
  ...common,
  type: z.enum(['row', 'column', 'stack', 'scroll']),
  gap: Pixels.optional(),
  get children(): NodeList {
    return nodeList()
  },
})
const Repeated = z.strictObject({
  ...common,
  type: z.enum(['list', 'each']),
  items: Condition,
  where: Condition.optional(),
  sort_by: Condition.optional(),
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
  ...common,
  type: z.literal('use'),
  component: z.string(),
  with: FilledRecord.optional(),
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
/** The member of the union whose `type` may be T. */
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
