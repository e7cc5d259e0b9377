import { z } from 'zod'

/** What the analyzer found in the folder of a scenario. Everything has the place where it was found. */

const name = z.string().max(200)
const line = z.string().max(400)
const address = z.string().max(2000)

export const SceneEvidence = z
  .object({
    file: z.string().max(400).describe('A path in the folder of the scenario'),
    line: z.int().min(1),
    text: z.string().max(160).describe('The start of what is there'),
  })
  .meta({ id: 'SceneEvidence' })
export type SceneEvidence = z.infer<typeof SceneEvidence>

const evidence = z.array(SceneEvidence)

/** Where a value of a request comes from. */
export type SceneValueSource =
  | { kind: 'constant'; value: string; type?: 'number' | 'boolean' | undefined }
  | { kind: 'control'; control: string }
  | { kind: 'page_state'; store: 'local_storage' | 'session_storage' | 'cookie' | 'meta' | 'window'; key: string }
  | { kind: 'clock' }
  | { kind: 'composed'; parts: SceneValueSource[] }
  | { kind: 'unknown'; text: string }

export const SceneValueSource: z.ZodType<SceneValueSource> = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('constant'),
      value: address,
      type: z.enum(['number', 'boolean']).optional().describe('Absent for text'),
    }),
    z.object({ kind: z.literal('control'), control: name.describe('The id or name of an element of the page') }),
    z.object({
      kind: z.literal('page_state'),
      store: z.enum(['local_storage', 'session_storage', 'cookie', 'meta', 'window']),
      key: name,
    }),
    z.object({ kind: z.literal('clock') }),
    z.object({
      kind: z.literal('composed'),
      get parts() {
        return z.array(SceneValueSource).max(50)
      },
    }),
    z.object({ kind: z.literal('unknown'), text: z.string().max(200) }),
  ])
  .meta({ id: 'SceneValueSource' })

export const SceneRequestParameter = z.object({
  name,
  in: z.enum(['path', 'query', 'body', 'header']),
  role: z.enum(['value', 'page', 'page_size']),
  source: SceneValueSource,
  evidence: SceneEvidence,
})
export type SceneRequestParameter = z.infer<typeof SceneRequestParameter>

export const SceneRequest = z
  .object({
    api: z.enum(['fetch', 'xhr', 'axios', 'jquery', 'grid']),
    method: z.string().max(10),
    url: address.describe('Values that are inserted into the path are written as {name}'),
    body: z.enum(['none', 'json', 'form', 'text']),
    parameters: z.array(SceneRequestParameter),
    purpose: z.enum(['data', 'export', 'dictionary']),
    rows_path: line.optional().describe('Where the rows are in the answer, with dots; empty for the answer itself'),
    total_path: line.optional(),
    evidence: SceneEvidence,
  })
  .meta({ id: 'SceneRequest' })
export type SceneRequest = z.infer<typeof SceneRequest>

export const SceneColumn = z.object({
  key: name.optional().describe('The field of a row; absent for a table of which only the headings are known'),
  label: name,
  evidence: SceneEvidence,
})
export type SceneColumn = z.infer<typeof SceneColumn>

export const SceneTable = z
  .object({
    origin: z.enum(['html', 'grid']),
    selector: line.optional(),
    columns: z.array(SceneColumn),
    rows: z.int().min(0).describe('Rows that are in the page as it is stored'),
    sample: z.array(z.array(z.string().max(200))).describe('The first of these rows'),
    evidence: SceneEvidence,
  })
  .meta({ id: 'SceneTable' })
export type SceneTable = z.infer<typeof SceneTable>

export const SceneControl = z.object({
  key: name,
  kind: z.enum(['select', 'date', 'month', 'week', 'text', 'other']),
  label: name.optional(),
  options: z.array(z.object({ label: name, code: name })),
  evidence: SceneEvidence,
})
export type SceneControl = z.infer<typeof SceneControl>

export const SceneDictionary = z
  .object({
    name,
    origin: z.enum(['json', 'script', 'select']),
    control: name.optional().describe('The element whose choices it has'),
    entries: z.array(z.object({ label: name, code: name })),
    evidence,
  })
  .meta({ id: 'SceneDictionary' })
export type SceneDictionary = z.infer<typeof SceneDictionary>

export const SceneExportHint = z.object({
  kind: z.enum(['request', 'navigation', 'form', 'library', 'button']),
  target: address,
  evidence: SceneEvidence,
})
export type SceneExportHint = z.infer<typeof SceneExportHint>

export const SceneDependency = z.object({
  kind: z.enum(['script', 'style', 'frame', 'module']),
  target: address,
  state: z.enum(['in_folder', 'missing', 'elsewhere']),
  evidence: SceneEvidence,
})
export type SceneDependency = z.infer<typeof SceneDependency>

export const SCENE_UNCERTAINTIES = [
  'page_missing',
  'page_ambiguous',
  'target_url_unknown',
  'target_url_ambiguous',
  'title_unknown',
  'mode_unknown',
  'request_ambiguous',
  'url_not_constant',
  'value_source_unknown',
  'value_depends_on_clock',
  'session_state',
  'rows_path_unknown',
  'columns_unknown',
  'table_ambiguous',
  'dictionary_unlinked',
  'dictionary_conflict',
  'parameter_kind_unknown',
  'frame_missing',
  'dependency_missing',
  'page_invalid',
  'script_invalid',
  'script_not_read',
  'data_invalid',
  'encoding_unknown',
  'limit_reached',
] as const

export const SceneUncertainty = z
  .object({
    code: z.enum(SCENE_UNCERTAINTIES),
    message: line,
    answer: name.optional().describe('The key of the answers that settles it'),
    evidence,
  })
  .meta({ id: 'SceneUncertainty' })
export type SceneUncertainty = z.infer<typeof SceneUncertainty>

const found = z.object({ value: address, evidence })
export type FoundText = z.infer<typeof found>

export const SCENE_COLLECTION_MODES = ['table', 'request', 'paged', 'iframe', 'export'] as const
export type SceneCollectionMode = (typeof SCENE_COLLECTION_MODES)[number]

export const SceneAnalysis = z
  .object({
    files: z.array(
      z.object({
        path: z.string().max(400),
        kind: z.enum(['page', 'script', 'data', 'other']),
        bytes: z.int().min(0),
      }),
    ),
    page: z.string().max(400).optional().describe('The page of the scenario'),
    titles: z.array(found),
    target_urls: z.array(found),
    modes: z.array(z.object({ value: z.enum(SCENE_COLLECTION_MODES), evidence })),
    frame: z
      .object({ file: z.string().max(400).optional(), selector: line, src: address, evidence: SceneEvidence })
      .optional(),
    requests: z.array(SceneRequest),
    tables: z.array(SceneTable),
    controls: z.array(SceneControl),
    dictionaries: z.array(SceneDictionary),
    exports: z.array(SceneExportHint),
    dependencies: z.array(SceneDependency),
    uncertainties: z.array(SceneUncertainty),
  })
  .meta({ id: 'SceneAnalysis' })
export type SceneAnalysis = z.infer<typeof SceneAnalysis>
