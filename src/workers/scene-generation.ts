import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import { lessonsFile } from '../config/paths.ts'
import type { GeneratedScene, SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import { readScenarioFolder, readScenarioZip } from '../files/scenario-files.ts'
import { ZipProblem } from '../files/zip-problem.ts'
import { analyzeScenario } from '../knowledge/scene-generator/analysis/analyze.ts'
import { generateScene, type PackageTrial } from '../knowledge/scene-generator/generate/generate.ts'
import { decodeFiles } from '../knowledge/scene-generator/page/decode-files.ts'
import { SCENARIO_LIMITS, type ScenarioFile } from '../knowledge/scene-generator/source/scenario.ts'
import { SceneCatalog } from '../knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../knowledge/scenes/dispatch.ts'
import { openPackage, type PackageFile, prepareScene } from '../knowledge/scenes/scene.ts'
import { runGeneratedTest } from './generated-test.ts'

/** A folder, or a zip file with a folder. */
export type ScenarioPlace = { readonly folder: string } | { readonly zip: string }

export interface GenerationRequest {
  readonly place: ScenarioPlace
  readonly answers: SceneAnswers
  /** Names the scene if the answers do not. */
  readonly folder_name: string
}

export interface GenerationOutcome {
  readonly analysis: SceneAnalysis
  readonly scene: GeneratedScene
}

export type GenerationStep = 'reading' | 'analyzing' | 'generating' | 'testing'

/** The zip file is damaged or gone, with the code of the reason. */
export interface UnreadableScenario {
  readonly unreadable: string
}

/** Analyzes the folder of a scenario. */
export async function analyzeScenarioAt({ folder }: { readonly folder: string }): Promise<SceneAnalysis> {
  return analyzeScenario(decodeFiles(await readScenarioFolder(folder, SCENARIO_LIMITS)))
}

/** Analyzes a scenario, writes a package, and tries it: by the rules of the registry, by its example, by its own test. */
export async function generateScenePackage(
  { place, ...request }: GenerationRequest,
  report: (progress: { readonly step: GenerationStep }) => void = () => {},
): Promise<GenerationOutcome | UnreadableScenario> {
  report({ step: 'reading' })
  const files = await readScenario(place)
  if ('unreadable' in files) return files
  report({ step: 'analyzing' })
  const analysis = analyzeScenario(files)
  report({ step: 'generating' })
  const lessons = await readFile(lessonsFile, 'utf8')
  const input = { ...request, files, analysis, lessons }
  const scene = generateScene(input)
  if (!scene.ready) return { analysis, scene }
  report({ step: 'testing' })
  const trial = { loading: tryPackage(scene), test: await runGeneratedTest(scene.test_program) }
  return { analysis, scene: hasProblems(trial) ? generateScene({ ...input, trial }) : scene }
}

const hasProblems = ({ loading, test }: PackageTrial): boolean => loading.length + test.length > 0

async function readScenario(place: ScenarioPlace): Promise<ScenarioFile[] | UnreadableScenario> {
  if ('folder' in place) return decodeFiles(await readScenarioFolder(place.folder, SCENARIO_LIMITS))
  try {
    return decodeFiles(await readScenarioZip(place.zip, SCENARIO_LIMITS))
  } catch (error) {
    const { code } = error as { code?: string }
    if (error instanceof ZipProblem || code === 'ENOENT') return { unreadable: code ?? 'ARCHIVE_UNREADABLE' }
    throw error
  }
}

/** Registers the package alone and dispatches its example, as the daemon would. */
export function tryPackage({
  files,
  id,
  example_instruction,
}: Pick<GeneratedScene, 'files' | 'id' | 'example_instruction'>): string[] {
  const read = (path: string): PackageFile => {
    const text = files.find((file) => file.path === path)?.content
    return text === undefined ? { problem: 'does not exist' } : { text, sha256: hash(text) }
  }
  const opened = openPackage({ manifest: read('scene.toml'), tools: read('SKILL.toml') })
  if ('problems' in opened) return opened.problems.map(formatProblem)
  const result = prepareScene(opened, new Map(opened.files.map((path) => [path, read(path)])))
  if ('problems' in result) return result.problems.map(formatProblem)
  const catalog = new SceneCatalog([{ root: '', folder: id, declared_id: id, result }])
  const moment = { now: new Date(0), time_zone: 'UTC' }
  const dispatch = dispatchInstruction(catalog, { instruction: example_instruction }, moment)
  return dispatch.outcome === 'plan'
    ? []
    : [`The instruction ${example_instruction} gives ${dispatch.outcome}, not a plan.`]
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const formatProblem = ({ file, key, reason }: { file: string; key?: string; reason: string }): string =>
  `${file}: ${key === undefined ? '' : `${key} `}${reason}`
