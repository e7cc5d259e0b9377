import { get } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { plain, toneOf } from './words.js'

/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalDetail} ProposalDetail */
/** @typedef {import('@apprentice/contracts/recipes/recipe.ts').RecipeInput} RecipeInput */

/**
 * Everything a draft says of itself, and what was found out about it.
 *
 * @param {ProposalDetail} detail
 */
export function partsOf(detail) {
  const { proposal, interpretation, questions, collisions } = detail
  return [
    interpretation && make('p', {}, interpretation.goal_summary),
    listOf('Used when', [...proposal.trigger_phrases, ...(interpretation?.use_conditions ?? [])]),
    listOf('Not used when', [
      ...proposal.negative_triggers,
      ...(interpretation?.non_use_conditions ?? []),
    ]),
    listOf(
      'What has to be said',
      inputsOf(detail).map((input) => inputWords(input, detail)),
    ),
    listOf('Done when', interpretation?.success_conditions ?? []),
    listOf(
      'Questions',
      questions.map(({ question_text, answer_text }) => `${question_text} ${answer_text ?? ''}`),
    ),
    listOf('Left out of it', prunedOf(detail)),
    listOf(
      'Could be taken for',
      collisions.map(({ title, detail: why }) => `${title}: ${why}`),
    ),
    testsOf(detail),
    ...(detail.improves?.diffs ?? []).map(({ name, diff }) => folded(`Changes in ${name}`, diff)),
    ...detail.files.map(({ name }) => fileOf(proposal.proposal_id, name)),
  ]
}

/**
 * @param {ProposalDetail} detail
 * @returns {RecipeInput[]}
 */
const inputsOf = ({ recipe }) => /** @type {RecipeInput[]} */ (recipe?.['inputs'] ?? [])

/**
 * @param {RecipeInput} input
 * @param {ProposalDetail} detail
 */
function inputWords({ name, type, summary }, { examples }) {
  const shown = examples[name] === undefined ? '' : `, shown with “${examples[name]}”`
  return `${plain(name)} (${type}${shown})${summary === undefined ? '' : `: ${summary}`}`
}

/** @param {ProposalDetail} detail */
function prunedOf({ review }) {
  const pruned = /** @type {{ reason: string, summary: string }[]} */ (review?.['pruned'] ?? [])
  return pruned.map(({ reason, summary }) => `${summary} (${plain(reason)})`)
}

/** @param {ProposalDetail} detail */
function testsOf({ latest_validation }) {
  if (latest_validation === undefined) return undefined
  const { validation_run, steps } = latest_validation
  const result =
    validation_run.completed_at === undefined ? 'testing' : validation_run.overall_result
  const passed = steps.filter((step) => step.result === 'passed').length
  const others = steps.filter((step) => step.result !== 'passed')
  return make(
    'div',
    { className: 'tests' },
    make('h4', {}, 'Tests ', badge(result, toneOf(result))),
    make('p', {}, `${passed} of ${steps.length} went well.`),
    others.length > 0 &&
      make(
        'ul',
        {},
        ...others.map(({ label, details, result: how }) =>
          make('li', {}, `${plain(how)}: ${label}${details === undefined ? '' : ` (${details})`}`),
        ),
      ),
  )
}

/**
 * @param {string} proposalId
 * @param {string} name
 */
function fileOf(proposalId, name) {
  const text = make('pre')
  const node = make(
    'details',
    {
      ontoggle: () => {
        if (!node.open || text.textContent !== '') return
        void attempt(async () => {
          /** @type {{ content: string }} */
          const { content } = await get(`/api/learn/proposals/${proposalId}/files/${name}`)
          fill(text, content)
        })
      },
    },
    make('summary', {}, name),
    text,
  )
  return node
}

/**
 * @param {string} title
 * @param {string} text
 */
const folded = (title, text) =>
  make('details', {}, make('summary', {}, title), make('pre', {}, text))

/**
 * @param {string} title
 * @param {readonly string[]} items
 */
function listOf(title, items) {
  if (items.length === 0) return undefined
  return make(
    'div',
    {},
    make('h4', {}, title),
    make('ul', {}, ...items.map((item) => make('li', {}, item))),
  )
}
