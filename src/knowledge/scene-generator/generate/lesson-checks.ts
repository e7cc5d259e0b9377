import { parse } from 'acorn'
import { simple } from 'acorn-walk'
import type { SceneUncertainty } from '@apprentice/contracts/scenes/analysis.ts'
import type { GeneratedSceneFile, SceneAnswers, SceneRefusal } from '@apprentice/contracts/scenes/generation.ts'
import { readPath } from '../script/node-shape.ts'
import type { SceneDraft } from '../draft/draft.ts'
import type { LessonRule, Lessons } from '../draft/lessons.ts'

/** A package that was written, before it is ready. */
export interface DraftedPackage {
  readonly draft: SceneDraft
  readonly files: readonly GeneratedSceneFile[]
  readonly script: string
  /** What happened when the package was tried. A package is tried when nothing else is refused. */
  readonly trial?: PackageTrial | undefined
}

/** What went wrong when the package was loaded and dispatched, and when its test was run. */
export interface PackageTrial {
  readonly loading: readonly string[]
  readonly test: readonly string[]
}

type Finding = Omit<SceneRefusal, 'rule'>
type Check = (drafted: DraftedPackage, value: LessonRule['value']) => Finding[]

const say = (reason: string, parts: Partial<Omit<Finding, 'reason'>> = {}): Finding[] => [
  { reason: reason.slice(0, 400), evidence: [], ...parts },
]
const expectEqual = (what: string, found: unknown, wanted: unknown): Finding[] =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : say(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}.`)
const toList = (value: LessonRule['value']): readonly string[] => (Array.isArray(value) ? value : [])
const toCount = (value: LessonRule['value']): number => (typeof value === 'number' ? value : 0)

/** What rules may ask for, by name. */
const CHECKS: Readonly<Record<string, Check>> = {
  suffix_equals: ({ draft }, value) => expectEqual('The suffix', draft.fixed.suffix, value),
  keywords_specific: checkKeywords,
  keywords_at_least: ({ draft: { routing } }, value) =>
    routing.include_keywords.length >= toCount(value)
      ? []
      : say('The titles of the page have no word that is specific enough for routing.', { answer: 'include_keywords' }),
  keywords_not_excluded: ({ draft: { routing } }) =>
    routing.include_keywords
      .filter((word) => routing.exclude_keywords.includes(word))
      .flatMap((word) => say(`${word} includes and excludes the scene.`, { answer: 'exclude_keywords' })),
  values_bound: checkBoundValues,
  prompts_present: ({ draft: { params } }) =>
    params.filter(({ label }) => label.trim() === '').flatMap(({ name }) => say(`${name} has no name for people.`)),
  dictionaries_unambiguous: checkDictionaries,
  examples_present: ({ draft: { params } }) =>
    params
      .filter(({ example }) => example.trim() === '')
      .flatMap(({ name }) => say(`${name} has no example.`, { answer: `params.${name}` })),
  target_url_schemes: checkTargetUrl,
  target_url_hosts_refused: ({ draft: { target_url = '' } }, value) =>
    URL.canParse(target_url) && toList(value).includes(new URL(target_url).hostname)
      ? say(`${target_url} is an address of the machine that opens it.`, { answer: 'target_url' })
      : [],
  domain_matches_url: ({ draft: { target_url = '' } }) =>
    URL.canParse(target_url) && new URL(target_url).hostname === ''
      ? say(`${target_url} has no host.`, { answer: 'target_url' })
      : [],
  title_keywords_at_least: ({ draft: { routing } }, value) =>
    routing.page_title_keywords.length >= toCount(value)
      ? []
      : say('No word of the title tells the page from a login page.', { answer: 'page_title_keywords' }),
  success_status_equals: ({ draft }, value) => expectEqual('success_status', draft.fixed.success_status, value),
  failure_status_equals: ({ draft }, value) => expectEqual('failure_status', draft.fixed.failure_status, value),
  source_known: ({ draft: { source } }) =>
    source === undefined ? say('Where the rows come from, or which columns they have, is not settled.') : [],
  columns_unique: ({ draft: { source } }) => checkColumns(source?.columns.map(({ key }) => key) ?? []),
  exporter_equals: ({ draft }, value) => expectEqual('The exporter', draft.fixed.exporter, value),
  auto_open_equals: ({ draft }, value) => expectEqual('auto_open', draft.fixed.auto_open, value),
  script_calls_refused: checkCalls,
  script_defines: ({ script }, value) => {
    const names = parseScript(script).body.flatMap((node) =>
      node.type === 'FunctionDeclaration' ? [node.id.name] : [],
    )
    return typeof value === 'string' && names.includes(value) ? [] : say(`The script does not define ${String(value)}.`)
  },
  files_present: ({ files }, value) =>
    toList(value)
      .filter((path) => !files.some((file) => file.path === path))
      .flatMap((path) => say(`The package has no ${path}.`)),
  no_open_questions: checkOpenQuestions,
  package_loads: ({ trial }) => (trial?.loading ?? []).flatMap((problem) => say(problem)),
  own_test_passes: ({ trial }) => (trial?.test ?? []).flatMap((name) => say(`The test failed: ${name}`)),
}

export const LESSON_CHECKS: ReadonlySet<string> = new Set(Object.keys(CHECKS))

/** Applies all rules. Each finding is a reason why the package is not ready. */
export const applyLessons = (drafted: DraftedPackage, { rules }: Lessons): SceneRefusal[] =>
  rules.flatMap(({ id, check, value }) =>
    (CHECKS[check]?.(drafted, value) ?? []).map((finding) => ({ rule: id, ...finding })),
  )

function checkKeywords({ draft: { routing } }: DraftedPackage, value: LessonRule['value']): Finding[] {
  const generic = new Set(toList(value).map((word) => word.toLowerCase()))
  return routing.include_keywords
    .filter((word) => generic.has(word.toLowerCase()))
    .flatMap((word) => say(`The keyword ${word} is a word of every report page.`, { answer: 'include_keywords' }))
}

function checkBoundValues({ draft }: DraftedPackage, value: LessonRule['value']): Finding[] {
  const kinds = toList(value)
  return draft.unbound
    .filter(({ source }) => kinds.includes(source.kind))
    .flatMap(({ parameter: { name, evidence }, source }) => {
      const answer = source.kind === 'control' ? `params.${source.control}` : `constants.${name}`
      const why =
        source.kind === 'control'
          ? `the control ${source.control}`
          : source.kind === 'clock'
            ? 'the time'
            : 'something unknown'
      return say(`The value of ${name === '' ? 'the body' : name} comes from ${why}, and no parameter gives it.`, {
        answer,
        evidence: [evidence],
      })
    })
}

function checkDictionaries({ draft: { params } }: DraftedPackage): Finding[] {
  return params.flatMap(({ name, dictionary }) => {
    if (dictionary === undefined) return []
    const { entries, evidence } = dictionary
    const byLabel = new Map<string, string>()
    const byCode = new Map<string, string>()
    return entries.flatMap(({ label, code }) => {
      const [otherCode, otherLabel] = [byLabel.get(label), byCode.get(code)]
      byLabel.set(label, code)
      byCode.set(code, label)
      if (otherCode !== undefined && otherCode !== code) {
        return say(`${label} of ${name} has the codes ${otherCode} and ${code}.`, { evidence })
      }
      return otherLabel !== undefined && otherLabel !== label
        ? say(`The code ${code} of ${name} has the names ${otherLabel} and ${label}.`, { evidence })
        : []
    })
  })
}

function checkTargetUrl({ draft: { target_url = '' } }: DraftedPackage, value: LessonRule['value']): Finding[] {
  if (!URL.canParse(target_url)) return say('The address of the page is not known.', { answer: 'target_url' })
  return toList(value).includes(new URL(target_url).protocol)
    ? []
    : say(`${target_url} is no address of a web page.`, { answer: 'target_url' })
}

function checkColumns(keys: readonly string[]): Finding[] {
  if (keys.length === 0) return []
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  return twice === undefined ? [] : say(`Two columns have the key ${twice}.`, { answer: 'columns' })
}

const parseScript = (script: string): ReturnType<typeof parse> =>
  parse(script, { ecmaVersion: 'latest', sourceType: 'script' })

function checkCalls({ script }: DraftedPackage, value: LessonRule['value']): Finding[] {
  const refused = new Set(toList(value))
  const found = new Set<string>()
  const note = ({ callee }: { callee: Parameters<typeof readPath>[0] }): void => {
    const name = readPath(callee)?.join('.')
    if (name !== undefined && refused.has(name)) found.add(name)
  }
  simple(parseScript(script), { CallExpression: note, NewExpression: note })
  return [...found].flatMap((name) => say(`The script calls ${name}.`))
}

/** Questions of the analysis that no answer settles. */
function checkOpenQuestions({ draft }: DraftedPackage, value: LessonRule['value']): Finding[] {
  const codes = toList(value)
  return draft.analysis.uncertainties
    .filter(({ code }) => codes.includes(code))
    .filter((one) => !isSettled(one, draft))
    .flatMap(({ message, answer, evidence }) => say(message, { evidence, ...(answer === undefined ? {} : { answer }) }))
}

function isSettled({ answer, code, evidence }: SceneUncertainty, { answers, source }: SceneDraft): boolean {
  if (answer !== undefined && answer in answers && answers[answer as keyof SceneAnswers] !== undefined) return true
  if (code === 'columns_unknown' || code === 'table_ambiguous') return answers.columns !== undefined
  if (code !== 'rows_path_unknown' || source?.kind !== 'request') return false
  // The question is about a request that was not chosen.
  const { file, line } = source.request.evidence
  return !evidence.some((one) => one.file === file && one.line === line)
}
