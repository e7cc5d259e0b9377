import type { SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import type { SceneRefusal } from '@apprentice/contracts/scenes/generation.ts'
import type { Lessons } from '../draft/lessons.ts'
import type { SceneDraft } from '../draft/draft.ts'

const formatPlace = ({ file, line }: SceneEvidence): string => `\`${file}:${line}\``
const formatPlaces = (evidence: readonly SceneEvidence[]): string =>
  evidence.length === 0 ? '' : ` (${evidence.slice(0, 5).map(formatPlace).join(', ')})`
const formatList = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((one) => `- ${one}`).join('\n')

/** How the script collects, with the places in the folder that say so. */
export function formatCollectionFlow(draft: SceneDraft): string {
  const { analysis, source, values, params, target_url } = draft
  return `# How the report is collected

1. The platform opens ${target_url ?? 'the page (its address is not known)'} and checks the domain and the title of the page.
2. ${formatFrame(draft)}
3. ${formatSource(draft)}
4. The script returns a \`report-artifact\`. The platform checks, stores and exports it.

## Parameters

${formatList(
  params.map(({ name, label, resolver }) => `\`${name}\` (${label}): ${resolver}`),
  'None.',
)}

## Values of the request

${formatList(
  values.map(
    ({ parameter: { name, in: place, evidence }, code }) =>
      `\`${name}\` in the ${place}: \`${code}\`${formatPlaces([evidence])}`,
  ),
  'None.',
)}

## Columns

${formatList(
  source?.columns.map(
    ({ key, field, label, type }) =>
      `\`${key}\`: ${label} (${type})${field === undefined ? '' : `, field \`${field}\``}`,
  ) ?? [],
  'Not known.',
)}

## What was found in the folder

${formatList(
  analysis.modes.map(({ value, evidence }) => `${value}${formatPlaces(evidence)}`),
  'Nothing that tells how the rows are loaded.',
)}

The export of the page is not used: the platform writes the file.
${formatList(
  analysis.exports.map(({ kind, target, evidence }) => `${kind}: ${target}${formatPlaces([evidence])}`),
  'The page has none.',
)}
`
}

const formatFrame = ({ analysis: { frame } }: SceneDraft): string =>
  frame === undefined
    ? 'The report is in the page itself.'
    : `The report is in the frame \`${frame.selector}\`${formatPlaces([frame.evidence])}. It must have the same origin as the page.`

function formatSource({ source }: SceneDraft): string {
  if (source === undefined) return 'Where the rows come from is not known.'
  if (source.kind === 'table') {
    return `The script reads the table with these headings${formatPlaces([source.table.evidence])}.`
  }
  const { request, rows_path } = source
  const where = rows_path === '' ? 'the answer itself' : `\`${rows_path}\` of the answer`
  const pages = request.parameters.some(({ role }) => role === 'page') ? ' It asks for one page after the other.' : ''
  return `The script sends \`${request.method} ${request.url}\` as the page does${formatPlaces([request.evidence])}. The rows are ${where}.${pages}`
}

/** What is known about the data and what is open, and why a package is not ready. */
export function formatDataQuality(draft: SceneDraft, refusals: readonly SceneRefusal[], lessons: Lessons): string {
  const { analysis, samples, source } = draft
  const manual = lessons.rules.filter(({ check }) => check === 'manual')
  const untyped = source?.kind === 'request' && samples.length === 0
  return `# Data quality

Status: ${refusals.length === 0 ? 'ready' : 'not ready'}.

## Why it is not ready

${formatList(
  refusals.map(
    ({ rule, reason, answer, evidence }) =>
      `${reason}${formatPlaces(evidence)} Rule: \`${rule}\`.${answer === undefined ? '' : ` Answer: \`${answer}\`.`}`,
  ),
  'Nothing is open.',
)}

## What the folder leaves open

${formatList(
  analysis.uncertainties.map(({ code, message, evidence }) => `${message} \`${code}\`${formatPlaces(evidence)}`),
  'Nothing.',
)}

## Types

${untyped ? 'The folder has no stored answer, so columns whose type nobody named are text.' : 'Types were read from rows that are stored in the folder.'}

## To be checked by a person

${formatList(
  manual.map(({ id, why }) => `${why} (\`${id}\`)`),
  'Nothing.',
)}
`
}
