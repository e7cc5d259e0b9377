import type {
  FoundText,
  SceneAnalysis,
  SceneControl,
  SceneDictionary,
  SceneRequest,
  SceneTable,
} from '@apprentice/contracts/scenes/analysis.ts'
import { isElement, listElements, locate, describeElement, readAttribute } from '../page/page-tree.ts'
import { listExportButtons, listPagers, listTables } from '../page/page-tables.ts'
import type { PageReading } from '../page/read-page.ts'
import { readControl } from '../page/page-controls.ts'
import { Bindings } from '../script/bindings.ts'
import { type ScenarioFile, toFileKind, Uncertainties } from '../source/scenario.ts'
import { findAnswerPaths } from './answer-paths.ts'
import { findGridTables, findRowTemplates, type RowTemplate } from './find-columns.ts'
import { findDictionaries, type JsonFile, listObjectLists } from './find-dictionaries.ts'
import { findExports } from './find-exports.ts'
import { addPickerKinds } from './find-pickers.ts'
import { findRequests, type FormControls, type FoundRequest } from './find-requests.ts'
import { listOpenQuestions } from './open-questions.ts'
import { readScenario, type ScenarioReading } from './read-scenario.ts'

/** Reads the files of a scenario. What cannot be read or followed becomes an uncertainty, never a guess. */
export function analyzeScenario(files: readonly ScenarioFile[]): SceneAnalysis {
  const uncertainties = new Uncertainties()
  const reading = readScenario(files, uncertainties)
  const pages = [reading.page, reading.frame?.page].filter((one) => one !== undefined)
  const bindings = new Bindings(reading.units)
  const controls = addPickerKinds(uniqueControls(pages), reading.units)
  const tables = findTables(pages, reading)
  const found = findRequests(bindings, listFormControls(pages), uncertainties)
  const dictionaries = findDictionaries({ files: reading.data, bindings, controls }, uncertainties)
  const requests = found.map((one) => completeRequest(bindings, one, { tables, data: reading.data, dictionaries }))
  const exports = [
    ...requests.filter(isExport).map(({ url, evidence }) => ({ kind: 'request' as const, target: url, evidence })),
    ...findExports(bindings),
    ...pages.flatMap(listExportButtons),
  ]
  const facts = {
    files: files.map(({ path, bytes }) => ({ path, kind: toFileKind(path), bytes })),
    ...(reading.page === undefined ? {} : { page: reading.page.file }),
    titles: pages.flatMap(({ titles }) => titles),
    target_urls: listAddresses(reading.page),
    modes: listModes({ pages, requests, tables, reading, exports }),
    ...(reading.frame === undefined ? {} : { frame: toFrame(reading.frame) }),
    requests,
    tables,
    controls,
    dictionaries,
    exports,
    dependencies: [...reading.dependencies],
  }
  listOpenQuestions(facts, uncertainties)
  return { ...facts, uncertainties: uncertainties.list() }
}

const isExport = ({ purpose }: SceneRequest): boolean => purpose === 'export'

const toFrame = ({ page, selector, src, evidence }: NonNullable<ScenarioReading['frame']>): SceneAnalysis['frame'] => ({
  file: page.file,
  selector,
  src: src.slice(0, 2000),
  evidence,
})

/** Controls by their key. A key that several controls have, such as radio buttons, is listed once. */
function uniqueControls(pages: readonly PageReading[]): SceneControl[] {
  const all = pages.flatMap(({ controls }) => controls)
  return all.filter(({ key }, at) => all.findIndex((one) => one.key === key) === at)
}

function listFormControls(pages: readonly PageReading[]): FormControls {
  const forms = pages.flatMap(({ file, elements }) =>
    elements
      .filter(({ tagName }) => tagName === 'form')
      .map((form): [string, SceneControl[]] => {
        const inside = listElements(form).filter((node) => isElement(node) && readAttribute(node, 'name') !== undefined)
        const controls = inside.flatMap((one) =>
          readControl(file, one, elements).map((control) => ({
            ...control,
            key: readAttribute(one, 'name') ?? control.key,
          })),
        )
        return [readAttribute(form, 'id') ?? readAttribute(form, 'name') ?? '', controls]
      }),
  )
  return new Map(forms)
}

/** The addresses that a page says it was saved from. Each is listed once. */
function listAddresses(page: PageReading | undefined): FoundText[] {
  const byUrl = new Map<string, FoundText>()
  for (const { value, evidence } of page?.addresses ?? []) {
    const known = byUrl.get(value)
    byUrl.set(value, { value, evidence: [...(known?.evidence ?? []), ...evidence] })
  }
  return [...byUrl.values()]
}

/** Tables of the pages with the fields that scripts write into their cells, and the grids of the scripts. */
function findTables(pages: readonly PageReading[], { units }: ScenarioReading): SceneTable[] {
  const templates = findRowTemplates(units)
  return [...pages.flatMap(listTables).map((table) => addKeys(table, templates)), ...findGridTables(units)]
}

function addKeys(table: SceneTable, templates: readonly RowTemplate[]): SceneTable {
  const fitting = templates.filter(({ keys }) => keys.length === table.columns.length)
  const [template, ...more] = fitting
  if (table.origin !== 'html' || template === undefined || more.length > 0) return table
  return {
    ...table,
    columns: table.columns.map((column, at) => {
      const key = template.keys[at]
      return key === undefined ? column : { ...column, key }
    }),
  }
}

interface Known {
  readonly tables: readonly SceneTable[]
  readonly data: readonly JsonFile[]
  readonly dictionaries: readonly SceneDictionary[]
}

/** Adds where the rows are, and whether the request only loads a dictionary. */
function completeRequest(bindings: Bindings, found: FoundRequest, { tables, data, dictionaries }: Known): SceneRequest {
  const { request } = found
  const file = request.url.split('/').at(-1) ?? ''
  if (dictionaries.some(({ origin, name }) => origin === 'json' && file === `${name}.json`)) {
    return { ...request, purpose: 'dictionary' }
  }
  const paths = findAnswerPaths(bindings, found)
  const keys = new Set(tables.flatMap(({ columns }) => columns.flatMap(({ key }) => key ?? [])))
  const sampled = new Set(data.flatMap(({ value }) => listSampledPaths(value, keys)))
  const rows = chooseRowsPath(paths.rows, sampled)
  const [total, ...more] = paths.totals.filter((path) => path !== rows)
  return {
    ...request,
    ...(rows === undefined ? {} : { rows_path: rows }),
    ...(total === undefined || more.length > 0 ? {} : { total_path: total }),
  }
}

/** The lists of a stored answer whose rows have the fields of the columns. */
const listSampledPaths = (value: unknown, keys: ReadonlySet<string>): string[] =>
  listObjectLists(value)
    .filter(({ rows: [first] }) => Object.keys(first ?? {}).filter((key) => keys.has(key)).length >= 2)
    .map(({ path }) => path)

/** The only list that scripts read, or the only one of them that a stored answer has too. */
function chooseRowsPath(paths: readonly string[], sampled: ReadonlySet<string>): string | undefined {
  if (paths.length === 1) return paths[0]
  const both = paths.length === 0 ? [...sampled] : paths.filter((path) => sampled.has(path))
  return both.length === 1 ? both[0] : undefined
}

interface ModeFacts {
  readonly pages: readonly PageReading[]
  readonly requests: readonly SceneRequest[]
  readonly tables: readonly SceneTable[]
  readonly reading: ScenarioReading
  readonly exports: SceneAnalysis['exports']
}

function listModes({ pages, requests, tables, reading, exports }: ModeFacts): SceneAnalysis['modes'] {
  const data = requests.filter(({ purpose }) => purpose === 'data')
  const pagers = pages.flatMap(listPagers).map(({ element, file }) => locate(file, element, describeElement(element)))
  const paged = data.flatMap(({ parameters }) => parameters.filter(({ role }) => role === 'page'))
  const modes = [
    { value: 'table' as const, evidence: tables.filter(({ rows }) => rows > 0).map(({ evidence }) => evidence) },
    { value: 'request' as const, evidence: data.map(({ evidence }) => evidence) },
    { value: 'paged' as const, evidence: [...paged.map(({ evidence }) => evidence), ...pagers] },
    { value: 'iframe' as const, evidence: reading.frame === undefined ? [] : [reading.frame.evidence] },
    { value: 'export' as const, evidence: exports.map(({ evidence }) => evidence) },
  ]
  return modes.filter(({ evidence }) => evidence.length > 0)
}
