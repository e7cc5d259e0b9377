import { z } from 'zod'
import { actionList } from './app-action.ts'
import { Calendar, Choice, Field, Radio, Slider, Stepper, Toggle, Wheel } from './control-nodes.ts'
import { ExpressionText, NumberExpression, TemplateRecord, TextTemplate, WritablePath } from './field-types.ts'
import { commonFields, Pixels } from './node-fields.ts'

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

const Box = z.strictObject({
  ...commonFields,
  type: z.enum(['row', 'column', 'stack', 'scroll']),
  gap: Pixels.optional(),
  on_end: actionList().optional(),
  get children(): NodeList {
    return nodeList()
  },
  get reveal(): z.ZodOptional<NodeList> {
    return nodeList().optional()
  },
})
const Pager = z.strictObject({
  ...commonFields,
  type: z.literal('pager'),
  bind: WritablePath,
  on_change: actionList().optional(),
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
  on_end: actionList().optional(),
  section_by: ExpressionText.optional(),
  sticky: z.boolean().optional(),
  get section(): z.ZodOptional<NodeList> {
    return nodeList().optional()
  },
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
  Choice,
  Wheel,
  Calendar,
  Box,
  Pager,
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
