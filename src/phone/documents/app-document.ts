import { z } from 'zod'
import { actionList } from './app-action.ts'
import { Node, nodeList } from './app-node.ts'
import { Amount, Condition, FilledRecord, StateShape, Words } from './field-types.ts'
import { checkReferences } from './document-references.ts'

/** An app of the simulated phone as a JSON document. The format is described in apps/README.md. */
const AppScreen = z.strictObject({
  activity: z
    .string()
    .regex(/^\.?[A-Za-z]\w*(\.[A-Za-z]\w*)*$/)
    .default('.MainActivity'),
  title: Words.optional(),
  up: z.boolean().default(true),
  actions: nodeList().default([]),
  links: z.array(z.string().regex(/^[a-z][a-z0-9+.-]*:/)).default([]),
  local: StateShape.default({}),
  background: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional(),
  loading_ms: Amount.optional(),
  loading_text: Words.optional(),
  on_open: actionList().default([]),
  on_resume: actionList().default([]),
  content: nodeList(),
})
export type AppScreen = z.infer<typeof AppScreen>

export const AppDialog = z.strictObject({
  title: Words.optional(),
  message: Words.optional(),
  local: StateShape.default({}),
  cancelable: z.boolean().default(true),
  content: nodeList().default([]),
  buttons: z
    .array(
      z.strictObject({
        text: Words,
        role: z.enum(['positive', 'negative', 'neutral']).default('positive'),
        enabled: Condition.optional(),
        actions: actionList().default([]),
      }),
    )
    .max(3)
    .default([]),
  on_cancel: actionList().default([]),
})
export type AppDialog = z.infer<typeof AppDialog>

const AppPopup = z.strictObject({
  when: Condition,
  after_ms: z.number().int().nonnegative().default(0),
  times: z.number().int().positive().default(1),
  dialog: z.string(),
  args: FilledRecord.optional(),
})

const Fields = z.strictObject({
  package: z.string().regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/, 'write a package as com.example.app'),
  label: Words,
  kind: z.enum(['app', 'launcher', 'system']).default('app'),
  version: z.strictObject({ name: z.string(), code: z.number().int().positive() }),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .default('#3f51b5'),
  default_locale: z.string().default('en'),
  strings: z.record(z.string(), z.record(z.string(), Words)).default({}),
  saved: StateShape.default({}),
  memory: StateShape.default({}),
  launch_screen: z.string(),
  screens: z.record(z.string(), AppScreen),
  dialogs: z.record(z.string(), AppDialog).default({}),
  components: z.record(z.string(), Node).default({}),
  popups: z.array(AppPopup).default([]),
})

export const AppDocument = Fields.superRefine((document, context) => {
  for (const fault of checkReferences(document)) {
    context.addIssue({ code: 'custom', message: fault.message, path: [...fault.path] })
  }
})
export type AppDocument = z.infer<typeof AppDocument>

export interface DocumentFault {
  /** Place in the document, as `screens.home.content[2].on_tap[0].screen`. */
  readonly path: string
  readonly reason: string
}

export type DocumentReading =
  | { readonly ok: true; readonly document: AppDocument }
  | { readonly ok: false; readonly faults: readonly DocumentFault[] }

export function readAppDocument(json: unknown): DocumentReading {
  const result = AppDocument.safeParse(json)
  if (result.success) return { ok: true, document: result.data }
  return { ok: false, faults: result.error.issues.flatMap((issue) => faultsOf(issue, [])) }
}

function faultsOf(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): DocumentFault[] {
  const path = [...outer, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) {
    return [{ path: showPath(path), reason: issue.message }]
  }
  const nearest = issue.errors.toSorted((left, right) => left.length - right.length)[0] ?? []
  return nearest.flatMap((inner) => faultsOf(inner, path))
}

function showPath(path: readonly PropertyKey[]): string {
  let shown = ''
  for (const key of path) {
    if (typeof key === 'number') shown += `[${key}]`
    else shown += shown === '' ? String(key) : `.${String(key)}`
  }
  return shown === '' ? '(document)' : shown
}
