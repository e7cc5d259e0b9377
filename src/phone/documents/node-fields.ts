import { z } from 'zod'
import { actionList } from './app-action.ts'
import { Color, ExpressionText, NumberExpression, TemplateValue, TextTemplate } from './field-types.ts'

export const Pixels = z.number().int().nonnegative()
const Extent = z.union([Pixels, z.enum(['fill', 'wrap'])])
const Alignment = z.enum(['start', 'center', 'end'])

export const NodeId = z
  .string()
  .regex(/^(:\S+|[A-Za-z][\w.]*(:id\/\w+)?)$/, 'write an id as "save", "android:id/title" or ":save-button"')

/** Actions by the direction of a swipe. */
export const SwipeActions = z.strictObject({
  left: actionList().optional(),
  right: actionList().optional(),
  up: actionList().optional(),
  down: actionList().optional(),
})

/** Fields of state and input, for the nodes of a document and of a recorded tree. */
export const interactiveFields = {
  visible: ExpressionText.optional(),
  enabled: ExpressionText.optional(),
  selected: ExpressionText.optional(),
  checked: ExpressionText.optional(),
  on_tap: actionList().optional(),
  on_long_press: actionList().optional(),
  on_swipe: SwipeActions.optional(),
  drag: TemplateValue.optional(),
  drag_hold: z.boolean().optional(),
  on_drop: actionList().optional(),
  animated: ExpressionText.optional(),
}

/** Fields of all nodes. */
export const commonFields = {
  ...interactiveFields,
  id: NodeId.optional(),
  class: z.string().min(1).optional(),
  description: TextTemplate.optional(),
  clickable: z.boolean().optional(),
  focusable: z.boolean().optional(),
  checkable: z.boolean().optional(),
  merged: z.boolean().optional(),
  dumped: z.boolean().optional(),
  width: Extent.optional(),
  height: Extent.optional(),
  weight: z.number().positive().optional(),
  padding: z.union([Pixels, z.tuple([Pixels, Pixels])]).optional(),
  at: z
    .strictObject({ x: NumberExpression, y: NumberExpression, width: NumberExpression, height: NumberExpression })
    .optional(),
  background: Color.optional(),
  color: Color.optional(),
  size: z.number().int().min(10).max(200).optional(),
  bold: z.boolean().optional(),
  align: Alignment.optional(),
}
