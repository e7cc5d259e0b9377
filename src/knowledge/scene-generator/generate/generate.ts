import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type {
  GeneratedScene,
  GeneratedSceneFile,
  SceneAnswers,
  SceneRefusal,
} from '@apprentice/contracts/scenes/generation.ts'
import { listObjectLists } from '../analysis/find-dictionaries.ts'
import { type ScenarioFile, toFileKind } from '../source/scenario.ts'
import { bindParams, bindValues } from '../draft/bind-params.ts'
import { chooseSource } from '../draft/choose-source.ts'
import { formatExample, type SceneDraft } from '../draft/draft.ts'
import { applyLessons, LESSON_CHECKS, type PackageTrial } from './lesson-checks.ts'
import { type Lessons, parseLessons, readText, readTexts } from '../draft/lessons.ts'
import { chooseRouting } from '../draft/routing.ts'
import { buildManifest, buildTools, formatSkillDocument, formatToml } from '../templates/manifest-files.ts'
import { formatCollectionFlow, formatDataQuality } from '../templates/reference-files.ts'
import { formatRequestScript } from '../templates/request-script.ts'
import { formatTableScript } from '../templates/table-script.ts'
import { formatScriptTest } from '../templates/test-script.ts'

export interface GenerationInput {
  readonly files: readonly ScenarioFile[]
  readonly analysis: SceneAnalysis
  readonly answers: SceneAnswers
  /** The text of the lessons. */
  readonly lessons: string
  /** Names the scene if the answers do not. */
  readonly folder_name: string
  /** What happened when an earlier result of the same input was tried. */
  readonly trial?: PackageTrial
}

export type { PackageTrial } from './lesson-checks.ts'

export const READY_MANIFEST = 'scene.toml'
/** The manifest of a package that is not ready. No registry reads it. */
export const DRAFT_MANIFEST = 'scene.draft.toml'

/** Writes a package from what was found in the folder of a scenario, and refuses to call it ready if a rule is broken. */
export function generateScene(input: GenerationInput): GeneratedScene {
  const lessons = parseLessons(input.lessons, LESSON_CHECKS)
  const draft = draftScene(input, lessons)
  const script = formatScript(draft)
  const files: GeneratedSceneFile[] = [
    { path: 'SKILL.toml', content: formatToml(buildTools(draft)) },
    { path: 'SKILL.md', content: formatSkillDocument(draft) },
    { path: 'references/collection-flow.md', content: formatCollectionFlow(draft) },
    { path: 'references/data-quality.md', content: '' },
    ...listDictionaryFiles(draft),
    { path: `scripts/${draft.tool}.js`, content: script },
    { path: `scripts/${draft.tool}.test.js`, content: formatScriptTest(draft) },
    ...(input.answers.stand_in ? listStandIn(input, draft) : []),
  ]
  const refusals = uniqueRefusals(applyLessons({ draft, files, script, trial: input.trial }, lessons))
  const ready = refusals.length === 0
  const manifest = { path: ready ? READY_MANIFEST : DRAFT_MANIFEST, content: formatToml(buildManifest(draft)) }
  const quality = formatDataQuality(draft, refusals, lessons)
  return {
    id: draft.id,
    ready,
    refusals,
    example_instruction: formatExample(draft),
    test_program: formatScriptTest(draft, script),
    files: [
      manifest,
      ...files.map((one) => (one.path.endsWith('/data-quality.md') ? { ...one, content: quality } : one)),
    ],
  }
}

function draftScene({ files, analysis, answers, folder_name }: GenerationInput, lessons: Lessons): SceneDraft {
  const id = answers.id ?? toId(folder_name)
  const samples = findSamples(files, analysis)
  const source = chooseSource(analysis, answers, samples)
  const [address, ...more] = analysis.target_urls
  const target_url = answers.target_url ?? (more.length === 0 ? address?.value : undefined)
  const params = source?.kind === 'request' ? bindParams(source.request, analysis, answers) : []
  const constants = answers.constants ?? {}
  const { bound, unbound } =
    source?.kind === 'request' ? bindValues(source.request, params, constants) : { bound: [], unbound: [] }
  return {
    id,
    tool: answers.tool ?? `collect_${id.replaceAll(/[^A-Za-z0-9]+/g, '_')}`.slice(0, 100),
    version: answers.version ?? '0.1.0',
    routing: chooseRouting(analysis, answers, readTexts(lessons, 'keywords_specific')),
    target_url,
    analysis,
    answers,
    source,
    params,
    values: bound,
    unbound,
    samples: source?.kind === 'request' ? samples.filter((row) => hasFields(row, source.columns)) : [],
    fixed: readFixedParts(lessons),
  }
}

const readFixedParts = (lessons: Lessons): SceneDraft['fixed'] => ({
  suffix: readText(lessons, 'suffix_equals'),
  success_status: readTexts(lessons, 'success_status_equals'),
  failure_status: readTexts(lessons, 'failure_status_equals'),
  exporter: readText(lessons, 'exporter_equals'),
  auto_open: readText(lessons, 'auto_open_equals'),
})

function toId(name: string): string {
  const plain = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, 80)
  return plain === '' ? 'generated-report' : plain
}

/** The script of the source. Without a source it is that of a table without columns, and the package is not ready. */
function formatScript(draft: SceneDraft): string {
  const { source } = draft
  return source?.kind === 'request' ? formatRequestScript(draft, source) : formatTableScript(draft)
}

const listDictionaryFiles = ({ params }: SceneDraft): GeneratedSceneFile[] =>
  params.flatMap(({ name, dictionary }) => {
    if (dictionary === undefined) return []
    const entries = dictionary.entries.map(({ label, code }) => ({ label, code, aliases: [] }))
    const content = `${JSON.stringify({ entries }, null, 2)}\n`
    return [{ path: `references/${name}-dictionary.json`, content }]
  })

/** Rows of stored answers: the lists in JSON files whose rows have fields of the columns. */
function findSamples(files: readonly ScenarioFile[], { tables }: SceneAnalysis): Record<string, unknown>[] {
  const keys = tables.flatMap(({ columns }) => columns.flatMap(({ key }) => key ?? []))
  const data = files.filter(({ path, text }) => toFileKind(path) === 'data' && text !== undefined)
  return data.flatMap(({ text = '' }) => {
    const lists = listObjectLists(parseJson(text))
    return lists.flatMap(({ rows }) => rows.filter((row) => keys.filter((key) => key in row).length >= 2)).slice(0, 50)
  })
}

const hasFields = (row: Record<string, unknown>, columns: readonly { readonly field?: string }[]): boolean =>
  columns.every(({ field = '' }) => (field.split('.')[0] ?? '') in row)

/** Files that are not valid JSON were recorded by the analysis. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The files of the folder below the path of the page, so that they answer its requests. */
function listStandIn({ files }: GenerationInput, { target_url = '', analysis }: SceneDraft): GeneratedSceneFile[] {
  if (!URL.canParse(target_url)) return []
  const path = decodeURIComponent(new URL(target_url).pathname)
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return files.flatMap(({ path: name, text }) => {
    if (text === undefined) return []
    const at = name === analysis.page ? `${path.endsWith('/') ? `${path}index` : path}.html` : `${folder}${name}`
    const clean = at
      .split('/')
      .filter((part) => part !== '' && part !== '.' && part !== '..')
      .join('/')
    return [{ path: `stand-in/${clean.replace(/\.html\.html$/, '.html')}`, content: text }]
  })
}

/** Two rules may find the same. */
const uniqueRefusals = (refusals: readonly SceneRefusal[]): SceneRefusal[] =>
  refusals.filter(({ reason }, at) => refusals.findIndex((one) => one.reason === reason) === at)
