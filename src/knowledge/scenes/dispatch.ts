import { MAX_SCENE_CANDIDATES, type PageContext, type SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { SceneSignal } from '@apprentice/contracts/scenes/plan.ts'
import type { RegisteredScene, SceneCatalog } from './catalog.ts'
import { decideScene } from './plan.ts'
import { createInstructionResolver, type ResolvedParams, resolveParams, toInstructionText } from './resolve-params.ts'
import type { Moment } from './resolvers/resolver.ts'
import * as signals from './signals.ts'

export interface DispatchRequest {
  readonly instruction: string
  readonly page?: PageContext | undefined
}

interface ScoredScene {
  readonly scene: RegisteredScene
  readonly params: ResolvedParams
  readonly found: readonly string[]
  readonly page: number
  readonly required: number
  readonly keywords: number
  readonly title: number
}

interface Findings {
  readonly scored: ScoredScene[]
  readonly excluded: { readonly scene_id: string; readonly keyword: string }[]
}

/** Decides which scene an instruction means, and with which arguments. The same request always gets the same answer. */
export function dispatchInstruction(catalog: SceneCatalog, request: DispatchRequest, moment: Moment): SceneDispatch {
  const { instruction } = request
  const suffixes = catalog.suffixes.filter((suffix) => instruction.endsWith(suffix))
  if (suffixes.length === 0) {
    const explanation = 'The instruction does not end with the suffix of any scene.'
    return { outcome: 'not_deterministic', explanation }
  }
  const page = signals.readPage(request.page ?? {})
  const findings: Findings = { scored: [], excluded: [] }
  for (const suffix of suffixes) {
    const text = instruction.slice(0, -suffix.length)
    scoreScenes(catalog, { text, suffix, page, moment }, findings)
  }
  return decide(findings, page)
}

interface SuffixedText {
  readonly text: string
  readonly suffix: string
  readonly page: signals.FoldedPage
  readonly moment: Moment
}

/** Scores the scenes with a suffix. */
function scoreScenes(catalog: SceneCatalog, { text, suffix, page, moment }: SuffixedText, findings: Findings): void {
  const instruction = toInstructionText(text)
  const resolve = createInstructionResolver(instruction, moment)
  const { scenes, hits } = catalog.findCandidates(instruction.folded, page.host)
  for (const scene of scenes) {
    const { manifest, routing } = scene
    if (manifest.deterministic.suffix !== suffix) continue
    const keyword = signals.findExcluded(routing, instruction.folded)
    if (keyword !== undefined) {
      findings.excluded.push({ scene_id: scene.id, keyword })
      continue
    }
    const params = resolveParams(scene, resolve)
    const found = signals.findKeywords(routing, hits)
    const scored = {
      scene,
      params,
      found,
      page: signals.scorePage(routing, page),
      required: signals.scoreParams(params),
      keywords: found.length * signals.SIGNAL_POINTS.include_keyword,
      title: signals.scoreTitle(routing, page),
    }
    if (isPlausible(scored)) findings.scored.push(scored)
  }
}

const toScore = ({ page, required, keywords, title }: ScoredScene): number => page + required + keywords + title

/** The signals, the strongest first. They are written for the scenes that the answer names only. */
const explain = ({ scene: { routing }, params, found }: ScoredScene, page: signals.FoldedPage): SceneSignal[] => [
  signals.explainPage(routing, page),
  signals.explainParams(params),
  signals.explainKeywords(routing, found),
  signals.explainTitle(routing, page),
  signals.explainExcluded(routing),
]

/** The instruction itself must say something of the scene: a keyword, or on its page all that the scene requires. */
const isPlausible = ({ keywords, page, required }: ScoredScene): boolean => keywords > 0 || (page > 0 && required > 0)

/**
 * The scenes that no other is chosen before. The page decides first, then the parameters. Keywords never decide alone:
 * among the rest only the title of the page decides, and not against the keywords.
 */
function selectAhead(scored: readonly ScoredScene[]): ScoredScene[] {
  const onPage = keepHighest(scored, ({ page }) => page)
  const complete = keepHighest(onPage, ({ required }) => required)
  const titled = complete.filter(({ title }) => title > 0)
  const most = Math.max(0, ...titled.map(({ keywords }) => keywords))
  return complete.filter(({ title, keywords }) => title > 0 || keywords > most || titled.length === 0)
}

function keepHighest(scored: readonly ScoredScene[], read: (one: ScoredScene) => number): readonly ScoredScene[] {
  const highest = Math.max(...scored.map(read))
  return scored.filter((one) => read(one) === highest)
}

function decide({ scored, excluded }: Findings, page: signals.FoldedPage): SceneDispatch {
  const plausible = selectAhead(scored)
  const [only] = plausible
  if (only === undefined) {
    const explanation = 'No registered scene fits the instruction. Name the report, or check `apprentice scenes list`.'
    return { outcome: 'no_scene', explanation, excluded: excluded.toSorted(byId).slice(0, MAX_SCENE_CANDIDATES) }
  }
  if (plausible.length === 1) return decideScene(only.scene, only.params, explain(only, page))
  const candidates = plausible
    .toSorted((a, b) => toScore(b) - toScore(a) || (a.scene.id < b.scene.id ? -1 : 1))
    .slice(0, MAX_SCENE_CANDIDATES)
    .map((one) => {
      const { id, title } = one.scene
      return { scene_id: id, title, score: toScore(one), signals: explain(one, page) }
    })
  return {
    outcome: 'ambiguous_scene',
    explanation: `${plausible.length} scenes fit, and nothing but keywords tells them apart.`,
    candidates,
    candidates_total: plausible.length,
  }
}

const byId = (a: { readonly scene_id: string }, b: { readonly scene_id: string }): number =>
  a.scene_id < b.scene_id ? -1 : 1
