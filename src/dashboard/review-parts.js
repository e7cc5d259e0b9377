import { get } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { formatName, chooseTone } from './format.js'

/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalDetail} ProposalDetail */
/** @typedef {import('@apprentice/contracts/recipes/recipe.ts').RecipeInput} RecipeInput */

/**
 * The content of a draft and its test results.
 *
 * @param {ProposalDetail} detail
 */
export function createParts(detail) {
  const { proposal, interpretation, questions, collisions } = detail
  return [
    interpretation && make('p', {}, interpretation.goal_summary),
    createList('Used when', [...proposal.trigger_phrases, ...(interpretation?.use_conditions ?? [])]),
    createList('Not used when', [...proposal.negative_triggers, ...(interpretation?.non_use_conditions ?? [])]),
    createList(
      'Inputs',
      readInputs(detail).map((input) => describeInput(input, detail)),
    ),
    createList('Done when', interpretation?.success_conditions ?? []),
    createList(
      'Questions',
      questions.map(({ question_text, answer_text }) => `${question_text} ${answer_text ?? ''}`),
    ),
    createList('Left out', listPruned(detail)),
    createList(
      'Similar abilities',
      collisions.map(({ title, detail: why }) => `${title}: ${why}`),
    ),
    createTests(detail),
    createList('Changes', listChanges(detail, false)),
    createList('Stays as it is', listChanges(detail, true)),
    ...(detail.improves?.diffs ?? []).map(({ name, diff }) => createDetails(`Changes in ${name}`, diff)),
    ...detail.files.map(({ name }) => createFile(proposal.proposal_id, name)),
  ]
}

/**
 * The changes to the installed version, or what stays.
 *
 * @param {ProposalDetail} detail
 * @param {boolean} kept
 */
const listChanges = ({ improves }, kept) =>
  (improves?.changes ?? []).filter(({ change }) => (change === 'kept') === kept).map(({ text }) => text)

/**
 * @param {ProposalDetail} detail
 * @returns {RecipeInput[]}
 */
const readInputs = ({ recipe }) => /** @type {RecipeInput[]} */ (recipe?.['inputs'] ?? [])

/**
 * @param {RecipeInput} input
 * @param {ProposalDetail} detail
 */
function describeInput({ name, type, summary }, { examples }) {
  const example = examples[name] === undefined ? '' : `, example: “${examples[name]}”`
  return `${formatName(name)} (${type}${example})${summary === undefined ? '' : `: ${summary}`}`
}

/** @param {ProposalDetail} detail */
function listPruned({ review }) {
  const pruned = /** @type {{ reason: string, summary: string }[]} */ (review?.['pruned'] ?? [])
  return pruned.map(({ reason, summary }) => `${summary} (${formatName(reason)})`)
}

/** @param {ProposalDetail} detail */
function createTests({ latest_validation }) {
  if (latest_validation === undefined) return undefined
  const { validation_run, steps } = latest_validation
  const result = validation_run.completed_at === undefined ? 'testing' : validation_run.overall_result
  const passed = steps.filter((step) => step.result === 'passed').length
  const others = steps.filter((step) => step.result !== 'passed')
  return make(
    'div',
    { className: 'tests' },
    make('h4', {}, 'Tests ', badge(result, chooseTone(result))),
    make('p', {}, `${passed} of ${steps.length} tests passed.`),
    others.length > 0 &&
      make(
        'ul',
        {},
        ...others.map(({ label, details, result: outcome }) =>
          make('li', {}, `${formatName(outcome)}: ${label}${details === undefined ? '' : ` (${details})`}`),
        ),
      ),
  )
}

/**
 * @param {string} proposalId
 * @param {string} name
 */
function createFile(proposalId, name) {
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
const createDetails = (title, text) => make('details', {}, make('summary', {}, title), make('pre', {}, text))

/**
 * @param {string} title
 * @param {readonly string[]} items
 */
function createList(title, items) {
  if (items.length === 0) return undefined
  return make('div', {}, make('h4', {}, title), make('ul', {}, ...items.map((item) => make('li', {}, item))))
}
