import type { SceneDependency, SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { type PageReading, readPage } from '../page/read-page.ts'
import { readAttribute, toSelector } from '../page/page-tree.ts'
import { readScript, type ScriptSource, type ScriptUnit } from '../script/read-script.ts'
import {
  resolveReference,
  SCENARIO_LIMITS,
  type ScenarioFile,
  toEvidence,
  toFileKind,
  type Uncertainties,
} from '../source/scenario.ts'
import { type JsonFile, readJsonFiles } from './find-dictionaries.ts'

export interface ScenarioFrame {
  readonly page: PageReading
  readonly selector: string
  readonly src: string
  readonly evidence: SceneEvidence
}

/** The files of a scenario that were read: its page, the frame in it, their scripts, the data. */
export interface ScenarioReading {
  readonly page: PageReading | undefined
  readonly frame: ScenarioFrame | undefined
  readonly units: readonly ScriptUnit[]
  readonly data: readonly JsonFile[]
  readonly dependencies: readonly SceneDependency[]
}

export function readScenario(files: readonly ScenarioFile[], uncertainties: Uncertainties): ScenarioReading {
  const readable = chooseFiles(files, uncertainties)
  const pages = readable.filter(({ path }) => toFileKind(path) === 'page').map((file) => readPage(file, uncertainties))
  const page = choosePage(pages, uncertainties)
  const frame = page === undefined ? undefined : findFrame(page, pages, uncertainties)
  const shown = [page, frame?.page].filter((one) => one !== undefined)
  const paths = new Set(files.map(({ path }) => path))
  const dependencies = shown.flatMap((one) => listDependencies(one, paths, uncertainties))
  const data = readJsonFiles(
    readable.filter(({ path }) => toFileKind(path) === 'data'),
    uncertainties,
  )
  return { page, frame, units: readScripts(shown, readable, uncertainties), data, dependencies }
}

/** The files that are read, within the bounds. */
function chooseFiles(files: readonly ScenarioFile[], uncertainties: Uncertainties): ScenarioFile[] {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  if (sorted.length > SCENARIO_LIMITS.files) {
    uncertainties.add('limit_reached', `The folder has ${sorted.length} files; ${SCENARIO_LIMITS.files} were read.`)
  }
  let total = 0
  return sorted.slice(0, SCENARIO_LIMITS.files).filter(({ path, bytes, text, is_undecoded }) => {
    if (toFileKind(path) === 'other') return false
    total += bytes
    const evidence = [toEvidence(path, 1, '')]
    if (is_undecoded === true) {
      uncertainties.add('encoding_unknown', 'The file is not in UTF-8, and no page declares its encoding.', {
        evidence,
      })
      return false
    }
    const fits = text !== undefined && bytes <= SCENARIO_LIMITS.file_bytes && total <= SCENARIO_LIMITS.total_bytes
    if (!fits) {
      const message = `The file was not read: files may have ${SCENARIO_LIMITS.file_bytes} bytes, and ${SCENARIO_LIMITS.total_bytes} together.`
      uncertainties.add('limit_reached', message, { evidence })
    }
    return fits
  })
}

/** The page with the name of a start page, or the only page that no other page shows in a frame. */
function choosePage(pages: readonly PageReading[], uncertainties: Uncertainties): PageReading | undefined {
  const framed = new Set(pages.flatMap(({ file, frames }) => frames.map(({ src }) => resolveReference(file, src))))
  const outer = pages.filter(({ file }) => !framed.has(file))
  const starts = outer.filter(({ file }) => /^index\.x?html?$/i.test(file))
  const [page, ...more] = starts.length > 0 ? starts : outer
  if (page === undefined) {
    uncertainties.add('page_missing', 'The folder has no HTML page.')
    return undefined
  }
  if (more.length > 0) {
    const names = [page, ...more].map(({ file }) => file).join(', ')
    const message = `Several pages may be the page of the scene: ${names}. Name one of them index.html.`
    uncertainties.add('page_ambiguous', message, {
      evidence: [page, ...more].map(({ file }) => toEvidence(file, 1, '')),
    })
    return undefined
  }
  return page
}

function findFrame(
  page: PageReading,
  pages: readonly PageReading[],
  uncertainties: Uncertainties,
): ScenarioFrame | undefined {
  const found = page.frames.flatMap(({ element, src, evidence }) => {
    const target = resolveReference(page.file, src)
    const inner = pages.find(({ file }) => file === target)
    if (inner === undefined && src !== '' && src !== 'about:blank') {
      uncertainties.add('frame_missing', `The content of the frame ${src.slice(0, 200)} is not in the folder.`, {
        evidence: [evidence],
      })
    }
    return inner === undefined ? [] : [{ page: inner, selector: toFrameSelector(element, page), src, evidence }]
  })
  const [frame, ...more] = found
  if (frame !== undefined && more.length > 0) {
    uncertainties.add('page_ambiguous', 'Several frames of the page may hold the report; the first was read.', {
      evidence: found.map(({ evidence }) => evidence),
    })
  }
  return frame
}

/** A selector that the page's own query finds. */
function toFrameSelector(element: PageReading['elements'][number], { elements }: PageReading): string {
  const selector = toSelector(element, elements)
  if (!selector.includes(':nth(')) return selector
  return `${element.tagName}[src=${JSON.stringify(readAttribute(element, 'src') ?? '')}]`
}

function listDependencies(
  { file, scripts, styles, frames }: PageReading,
  paths: ReadonlySet<string>,
  uncertainties: Uncertainties,
): SceneDependency[] {
  const toDependency = (kind: SceneDependency['kind'], target: string, evidence: SceneEvidence): SceneDependency => {
    const path = resolveReference(file, target)
    const state = path === undefined ? 'elsewhere' : paths.has(path) ? 'in_folder' : 'missing'
    if (state === 'missing' && kind === 'script') {
      uncertainties.add('dependency_missing', `The script ${target.slice(0, 200)} is not in the folder.`, {
        evidence: [evidence],
      })
    }
    return { kind, target: target.slice(0, 2000), state, evidence }
  }
  return [
    ...scripts.flatMap(({ src, evidence }) => (src === undefined ? [] : [toDependency('script', src, evidence)])),
    ...styles.map(({ href, evidence }) => toDependency('style', href, evidence)),
    ...frames.map(({ src, evidence }) => toDependency('frame', src, evidence)),
  ]
}

/** The scripts of the pages, and those of the folder that no page names: other scripts may load them. */
function readScripts(
  pages: readonly PageReading[],
  files: readonly ScenarioFile[],
  uncertainties: Uncertainties,
): ScriptUnit[] {
  const modules = new Set(
    pages.flatMap(({ file, scripts }) =>
      scripts.flatMap(({ src, is_module }) => (src !== undefined && is_module ? [resolveReference(file, src)] : [])),
    ),
  )
  const inPages = pages.flatMap(({ file, scripts }) =>
    scripts.flatMap(({ text, line_offset, is_module }) =>
      text === undefined ? [] : [{ file, text, line_offset, is_module }],
    ),
  )
  const inFiles = files
    .filter(({ path }) => toFileKind(path) === 'script')
    .map(({ path, text = '' }) => ({ file: path, text, line_offset: 0, is_module: modules.has(path) }))
  return [...inPages, ...inFiles].flatMap((source) => readUnit(source, uncertainties))
}

/** Scripts of more nodes are libraries, or bundles that contain them. */
const MAX_NODES = 40_000
const MAX_MEAN_LINE = 400

function readUnit(source: ScriptSource, uncertainties: Uncertainties): ScriptUnit[] {
  const evidence = [toEvidence(source.file, source.line_offset + 1, source.text)]
  if (source.text.length / source.text.split('\n').length > MAX_MEAN_LINE && source.text.length > 2 * MAX_MEAN_LINE) {
    uncertainties.add('script_not_read', 'The script is minified and was not read.', { evidence })
    return []
  }
  const unit = readScript(source, uncertainties)
  if (unit !== undefined && unit.nodes.length > MAX_NODES) {
    uncertainties.add('script_not_read', `The script has ${unit.nodes.length} nodes and was not read.`, { evidence })
    return []
  }
  return unit === undefined ? [] : [unit]
}
