import { z } from 'zod'
import {
  ExpressionText,
  NumberExpression,
  TemplateRecord,
  TemplateValue,
  TextTemplate,
  WritablePath,
} from './field-types.ts'

/** Actions of an app document. They run when a node is tapped, a screen opens or a value changes. */
const Set = z.strictObject({ do: z.literal('set'), target: WritablePath, value: TemplateValue })
const Toggle = z.strictObject({ do: z.literal('toggle'), target: WritablePath })
const Add = z.strictObject({
  do: z.literal('add'),
  target: WritablePath,
  by: NumberExpression,
  min: NumberExpression.optional(),
  max: NumberExpression.optional(),
})
const Append = z.strictObject({
  do: z.literal('append'),
  target: WritablePath,
  value: TemplateValue,
})
const Remove = z.strictObject({
  do: z.literal('remove'),
  target: WritablePath,
  where: ExpressionText,
})
const Move = z.strictObject({
  do: z.literal('move'),
  target: WritablePath,
  where: ExpressionText,
  to: NumberExpression,
})

const Open = z.strictObject({
  do: z.enum(['open', 'replace', 'restart']),
  screen: z.string(),
  args: TemplateRecord.optional(),
})
const Back = z.strictObject({ do: z.enum(['back', 'close_dialog', 'hide_keyboard', 'close_shade']) })
const ShowDialog = z.strictObject({
  do: z.literal('dialog'),
  dialog: z.string(),
  args: TemplateRecord.optional(),
})
const Toast = z.strictObject({ do: z.literal('toast'), text: TextTemplate })
const Launch = z.strictObject({ do: z.literal('launch'), package: TextTemplate })
const Log = z.strictObject({
  do: z.literal('log'),
  tag: z.string().optional(),
  level: z.enum(['V', 'D', 'I', 'W', 'E']).optional(),
  text: TextTemplate,
})
const Load = z.strictObject({ do: z.literal('load'), ms: NumberExpression })

const If = z.strictObject({
  do: z.literal('if'),
  when: ExpressionText,
  get actions(): ActionList {
    return actionList()
  },
  get otherwise(): z.ZodOptional<ActionList> {
    return actionList().optional()
  },
})
const After = z.strictObject({
  do: z.literal('after'),
  ms: NumberExpression,
  get actions(): ActionList {
    return actionList()
  },
})

const ForEach = z.strictObject({
  do: z.literal('for_each'),
  items: ExpressionText,
  where: ExpressionText.optional(),
  get actions(): ActionList {
    return actionList()
  },
})
const CallProcedure = z.strictObject({
  do: z.literal('call'),
  procedure: z.string(),
  with: TemplateRecord.optional(),
})
const Snackbar = z.strictObject({
  do: z.literal('snackbar'),
  text: TextTemplate,
  ms: NumberExpression.optional(),
  action: TextTemplate.optional(),
  get actions(): z.ZodOptional<ActionList> {
    return actionList().optional()
  },
})
const Notify = z.strictObject({
  do: z.literal('notify'),
  title: TextTemplate,
  text: TextTemplate.optional(),
  get actions(): z.ZodOptional<ActionList> {
    return actionList().optional()
  },
})
const UseNotification = z.strictObject({
  do: z.enum(['open_notification', 'remove_notification']),
  key: NumberExpression,
})

export const Action = z.discriminatedUnion('do', [
  Set,
  Toggle,
  Add,
  Append,
  Remove,
  Move,
  Open,
  Back,
  ShowDialog,
  Toast,
  Launch,
  Log,
  Load,
  If,
  After,
  ForEach,
  CallProcedure,
  Snackbar,
  Notify,
  UseNotification,
])
export type Action = z.infer<typeof Action>

// An interface, because TypeScript resolves recursive types only through interfaces.
interface ActionList extends z.ZodArray<typeof Action> {}

export function actionList(): ActionList {
  return z.array(Action)
}
