import { z } from 'zod'
import { actionList } from './app-action.ts'
import { Node, nodeList } from './app-node.ts'
import { Color, ExpressionText, InitialState, NumberExpression, TemplateRecord, TextTemplate } from './field-types.ts'
import { checkReferences } from './document-references.ts'
import { explainSelector, RecordedTree, TreeBinding, type RecordedNode } from './recorded-tree.ts'

/** The recorded tree of a screen or dialog, and what its nodes display and do. */
const treeFields = {
  tree: RecordedTree.optional(),
  bindings: z.array(TreeBinding).default([]),
}

interface Recorded {
  readonly tree?: RecordedNode | undefined
  readonly bindings: readonly TreeBinding[]
}

function checkBindings({ tree, bindings }: Recorded, context: z.core.$RefinementCtx): void {
  for (const [index, { node }] of bindings.entries()) {
    const message = tree === undefined ? 'bindings need a "tree"' : explainSelector(tree, node)
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['bindings', index, 'node'] })
  }
}

/** The JSON document of an app. The format is documented in apps/README.md. */
const AppScreen = z
  .strictObject({
    ...treeFields,
    activity: z
      .string()
      .regex(/^\.?[A-Za-z]\w*(\.[A-Za-z]\w*)*$/, 'write an activity as .DetailActivity or com.example.DetailActivity')
      .default('.MainActivity'),
    title: TextTemplate.optional(),
    up: z.boolean().default(true),
    actions: nodeList().default([]),
    links: z.array(z.string().regex(/^[a-z][a-z0-9+.-]*:/, 'write a link as shop://product/{id}')).default([]),
    local: InitialState.default({}),
    background: Color.optional(),
    loading_ms: NumberExpression.optional(),
    loading_text: TextTemplate.optional(),
    on_open: actionList().default([]),
    on_resume: actionList().default([]),
    keyboard: z.enum(['resize', 'cover']).default('resize'),
    content: nodeList().optional(),
  })
  .superRefine((screen, context) => {
    if ((screen.content === undefined) === (screen.tree === undefined)) {
      context.addIssue({ code: 'custom', message: 'write either "content" or "tree"', path: ['content'] })
    }
    checkBindings(screen, context)
  })
export type AppScreen = z.infer<typeof AppScreen>

export const AppDialog = z
  .strictObject({
    ...treeFields,
    place: z.enum(['center', 'bottom', 'touch', 'fill']).default('center'),
    in_screen: z.boolean().default(false),
    scrim_description: TextTemplate.optional(),
    on_open: actionList().default([]),
    title: TextTemplate.optional(),
    message: TextTemplate.optional(),
    local: InitialState.default({}),
    cancelable: z.boolean().default(true),
    content: nodeList().default([]),
    buttons: z
      .array(
        z.strictObject({
          text: TextTemplate,
          role: z.enum(['positive', 'negative', 'neutral']).default('positive'),
          enabled: ExpressionText.optional(),
          actions: actionList().default([]),
        }),
      )
      .max(3)
      .default([]),
    on_cancel: actionList().default([]),
  })
  .superRefine(checkBindings)
export type AppDialog = z.infer<typeof AppDialog>

const AppPopup = z.strictObject({
  when: ExpressionText,
  after_ms: z.number().int().nonnegative().default(0),
  times: z.number().int().positive().default(1),
  dialog: z.string(),
  args: TemplateRecord.optional(),
})

const AppTimer = z
  .strictObject({
    at_ms: z.number().int().nonnegative().optional(),
    every_ms: z.number().int().min(100).optional(),
    times: z.number().int().positive().optional(),
    when: ExpressionText.optional(),
    actions: actionList(),
  })
  .refine(({ at_ms, every_ms }) => (at_ms === undefined) !== (every_ms === undefined), {
    message: 'write either "at_ms" or "every_ms"',
  })
export type AppTimer = z.infer<typeof AppTimer>

export const TOOLKITS = ['view', 'compose', 'react-native', 'flutter', 'webview'] as const
export type Toolkit = (typeof TOOLKITS)[number]

const DocumentFields = z.strictObject({
  package: z.string().regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/, 'write a package as com.example.app'),
  label: TextTemplate,
  kind: z.enum(['app', 'launcher', 'system']).default('app'),
  version: z.strictObject({ name: z.string(), code: z.number().int().positive() }),
  toolkit: z.enum(TOOLKITS).default('view'),
  rtl: z.boolean().default(true),
  color: Color.default('#3f51b5'),
  default_locale: z.string().default('en'),
  strings: z.record(z.string(), z.record(z.string(), TextTemplate)).default({}),
  saved: InitialState.default({}),
  memory: InitialState.default({}),
  launch_screen: z.string(),
  screens: z.record(z.string(), AppScreen),
  dialogs: z.record(z.string(), AppDialog).default({}),
  components: z.record(z.string(), Node).default({}),
  procedures: z.record(z.string(), actionList()).default({}),
  popups: z.array(AppPopup).default([]),
  timers: z.array(AppTimer).default([]),
})

export const AppDocument = DocumentFields.superRefine((document, context) => {
  for (const fault of checkReferences(document)) {
    context.addIssue({ code: 'custom', message: fault.message, path: [...fault.path] })
  }
})
export type AppDocument = z.infer<typeof AppDocument>

export interface DocumentFault {
  /** Path of the faulty field, e.g. `screens.home.content[2].on_tap[0].screen`. */
  readonly path: string
  readonly reason: string
}

export type DocumentReading =
  | { readonly ok: true; readonly document: AppDocument }
  | { readonly ok: false; readonly faults: readonly DocumentFault[] }

export function readAppDocument(json: unknown): DocumentReading {
  const result = AppDocument.safeParse(json)
  if (result.success) return { ok: true, document: result.data }
  return { ok: false, faults: result.error.issues.flatMap((issue) => collectFaults(issue, [])) }
}

function collectFaults(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): DocumentFault[] {
  const path = [...outer, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) {
    return [{ path: formatPath(path), reason: issue.message }]
  }
  const nearest = issue.errors.toSorted((left, right) => left.length - right.length)[0] ?? []
  return nearest.flatMap((inner) => collectFaults(inner, path))
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text === '' ? '(document)' : text
}
