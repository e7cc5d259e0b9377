import type {
  SceneAnalysis,
  SceneRequest,
  SceneRequestParameter,
  SceneValueSource,
} from '@apprentice/contracts/scenes/analysis.ts'
import type { Uncertainties } from '../source/scenario.ts'

export type SceneFacts = Omit<SceneAnalysis, 'uncertainties'>

/** Records what the facts leave open. Each question names the key of the answers that settles it. */
export function listOpenQuestions(facts: SceneFacts, uncertainties: Uncertainties): void {
  askForAddress(facts, uncertainties)
  if (facts.titles.length === 0) uncertainties.add('title_unknown', 'The page has no title.', { answer: 'title' })
  askForSource(facts, uncertainties)
  for (const request of listDataRequests(facts)) {
    for (const parameter of request.parameters) askForParameter(facts, parameter, uncertainties)
  }
}

export const listDataRequests = ({ requests }: Pick<SceneFacts, 'requests'>): SceneRequest[] =>
  requests.filter(({ purpose }) => purpose === 'data')

function askForAddress({ target_urls: found, requests, page }: SceneFacts, uncertainties: Uncertainties): void {
  const [first, ...more] = found
  if (first !== undefined && more.length === 0) return
  if (first !== undefined) {
    const message = `The page names several addresses: ${found.map(({ value }) => value).join(', ')}.`
    const evidence = found.flatMap((one) => one.evidence)
    uncertainties.add('target_url_ambiguous', message, { evidence, answer: 'target_url' })
    return
  }
  const absolute = requests.filter(({ url }) => URL.canParse(url))
  const hosts = [...new Set(absolute.map(({ url }) => new URL(url).host))]
  const seen = hosts.length === 0 ? '' : ` Its requests go to ${hosts.join(', ')}.`
  uncertainties.add('target_url_unknown', `${page ?? 'The folder'} does not say at which address the page is.${seen}`, {
    evidence: absolute.map(({ evidence }) => evidence),
    answer: 'target_url',
  })
}

/** Whether it is clear where the rows come from and which columns they have. */
function askForSource(facts: SceneFacts, uncertainties: Uncertainties): void {
  const data = listDataRequests(facts)
  const stored = facts.tables.filter(({ rows }) => rows > 0)
  if (data.length === 0 && stored.length === 0) {
    const message = 'No table with rows and no request for data was found.'
    uncertainties.add('mode_unknown', message, { evidence: facts.exports.map(({ evidence }) => evidence) })
    return
  }
  if (data.length === 0) {
    if (stored.length === 1) return
    const evidence = stored.map((one) => one.evidence)
    uncertainties.add('table_ambiguous', 'Several tables of the page have rows.', { evidence, answer: 'table' })
    return
  }
  if (data.length > 1) {
    const message = `Several requests may load the rows: ${data.map(({ url }) => url).join(', ')}.`
    uncertainties.add('request_ambiguous', message, {
      evidence: data.map(({ evidence }) => evidence),
      answer: 'request',
    })
  }
  askForRows(facts, data, uncertainties)
}

function askForRows(facts: SceneFacts, data: readonly SceneRequest[], uncertainties: Uncertainties): void {
  for (const { rows_path, url, evidence } of data) {
    if (rows_path !== undefined) continue
    const message = `Where the rows are in the answer of ${url} is not clear from the scripts.`
    uncertainties.add('rows_path_unknown', message, { evidence: [evidence], answer: 'rows_path' })
  }
  const complete = facts.tables.filter(
    ({ columns }) => columns.length > 0 && columns.every(({ key }) => key !== undefined),
  )
  if (complete.length === 1) return
  const evidence = facts.tables.map((one) => one.evidence)
  if (complete.length === 0) {
    const message = 'Which fields of a row belong to the columns was not found.'
    uncertainties.add('columns_unknown', message, { evidence, answer: 'columns' })
  } else {
    uncertainties.add('table_ambiguous', 'Several grids define columns.', { evidence, answer: 'table' })
  }
}

function askForParameter(facts: SceneFacts, parameter: SceneRequestParameter, uncertainties: Uncertainties): void {
  const { name, role, source, evidence } = parameter
  if (role === 'page') return
  for (const part of listSimple(source)) {
    if (part.kind === 'unknown') {
      const message = `Where the value of ${name || 'the body'} comes from is not clear: ${part.text.split('\n', 1)[0] ?? ''}`
      uncertainties.add('value_source_unknown', message, { evidence: [evidence], answer: `constants.${name}` })
    } else if (part.kind === 'clock') {
      const message = `${name} depends on the time at which the page is used.`
      uncertainties.add('value_depends_on_clock', message, { evidence: [evidence], answer: `constants.${name}` })
    } else if (part.kind === 'page_state') {
      const message = `${name} is read from the session of the page (${part.store}${part.key === '' ? '' : ` ${part.key}`}); a login is needed.`
      uncertainties.add('session_state', message, { evidence: [evidence] })
    } else if (part.kind === 'control') {
      askForControl(facts, part.control, { parameter, uncertainties })
    }
  }
}

const listSimple = (source: SceneValueSource): SceneValueSource[] =>
  source.kind === 'composed' ? source.parts : [source]

interface ControlQuestion {
  readonly parameter: SceneRequestParameter
  readonly uncertainties: Uncertainties
}

function askForControl(facts: SceneFacts, key: string, { parameter, uncertainties }: ControlQuestion): void {
  const control = facts.controls.find((one) => one.key === key)
  const dictionary = facts.dictionaries.find((one) => one.control === key)
  const evidence = [parameter.evidence, ...(control === undefined ? [] : [control.evidence])]
  const answer = `params.${key}`
  if (dictionary !== undefined || control?.kind === 'date' || control?.kind === 'month') return
  if (control?.kind === 'select') {
    const names = facts.dictionaries.map(({ name }) => name).join(', ')
    const message = `The choices of ${key} are not in the page. ${names === '' ? 'No dictionary was found.' : `Dictionaries: ${names}.`}`
    uncertainties.add('dictionary_unlinked', message, { evidence, answer })
    return
  }
  const what =
    control === undefined ? 'is not in the page' : `is a field for ${control.kind === 'week' ? 'a week' : 'any text'}`
  uncertainties.add('parameter_kind_unknown', `${key} ${what}; which values it takes is not known.`, {
    evidence,
    answer,
  })
}
