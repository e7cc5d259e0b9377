import { z } from 'zod'
import { Amount, Condition, FilledRecord, FilledValue, Place, Words } from './field-types.ts'

/** One step of what happens when something is tapped, opened or changed. */
const Set = z.strictObject({ do: z.literal('set'), target: Place, value: FilledValue })
const Toggle = z.strictObject({ do: z.literal('toggle'), target: Place })
const Add = z.strictObject({
  do: z.literal('add'),
  target: Place,
  by: Amount,
  min: Amount.optional(),
  max: Amount.optional(),
})
const Append = z.strictObject({ do: z.literal('append'), target: Place, value: FilledValue })
const Remove = z.strictObject({ do: z.literal('remove'), target: Place, where: Condition })

const Open = z.strictObject({
  do: z.enum(['open', 'replace', 'restart']),
  screen: z.string(),
  args: FilledRecord.optional(),
})
const Back = z.strictObject({ do: z.enum(['back', 'close_dialog']) })
const ShowDialog = z.strictObject({
  do: z.literal('dialog'),
  dialog: z.string(),
  args: FilledRecord.optional(),
})
const Toast = z.strictObject({ do: z.literal('toast'), text: Words })
const Launch = z.strictObject({ do: z.literal('launch'), package: Words })
const Log = z.strictObject({
  do: z.literal('log'),
  tag: z.string().optional(),
  level: z.enum(['V', 'D', 'I', 'W', 'E']).optional(),
  text: Words,
})
const Load = z.strictObject({ do: z.literal('load'), ms: Amount })

const If = z.strictObject({
  do: z.literal('if'),
  when: Condition,
  get actions(): ActionList {
    return actionList()
  },
  get otherwise(): z.ZodOptional<ActionList> {
    return actionList().optional()
  },
})
const After = z.strictObject({
  do: z.literal('after'),
  ms: Amount,
  get actions(): ActionList {
    return actionList()
  },
})

export const Action = z.discriminatedUnion('do', [
  Set,
  Toggle,
  Add,
  Append,
  Remove,
  Open,
  Back,
  ShowDialog,
  Toast,
  Launch,
  Log,
  Load,
  If,
  After,
])
export type Action = z.infer<typeof Action>

// An interface, because TypeScript can close a circle of types only through one.
interface ActionList extends z.ZodArray<typeof Action> {}

export function actionList(): ActionList {
  return z.array(Action)
}
