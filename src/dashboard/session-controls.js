import { currentSession } from './current-session.js'
import { make } from './element.js'
import { attempt } from './notices.js'
import { createQuestions } from './questions.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */

/** @type {readonly [string, string, string][]} */
const commands = [
  ['start', 'Start', 'primary'],
  ['pause', 'Pause', ''],
  ['resume', 'Resume', 'primary'],
  ['stop', 'Stop', ''],
  ['generate_proposal', 'Draft the ability', 'primary'],
  ['cancel', 'Cancel session', 'danger'],
]

/**
 * @typedef {object} Spoken
 * @property {string} action
 * @property {string} words
 * @property {string} hint
 * @property {number} maxLength
 * @property {(text: string) => object} bodyOf
 */

/** @type {readonly Spoken[]} */
const spoken = [
  {
    action: 'mark_goal',
    words: 'Mark goal',
    hint: 'What this is for',
    maxLength: 400,
    bodyOf: (text) => ({ goal_description: text }),
  },
  {
    action: 'mark_step',
    words: 'Mark step',
    hint: 'The step just shown',
    maxLength: 240,
    bodyOf: (text) => ({ step_label: text }),
  },
]

/** The commands the daemon allows now, and nothing else. Controls stay the same nodes, so the focus stays too. */
export function createSessionControls() {
  const consent = make('input', { type: 'checkbox', name: 'consent' })
  const consentRow = make(
    'label',
    { className: 'consent' },
    consent,
    ' Keep the text I type. Otherwise placeholders are kept in its place.',
  )
  const buttons = commands.map(([action, words, className]) => {
    const onclick = () => {
      const begin = { text_capture_consent: consent.checked, source: 'user_click' }
      const body = action === 'start' ? begin : {}
      return attempt(() => currentSession.act(action, body))
    }
    return { action, node: make('button', { type: 'button', className, onclick }, words) }
  })
  const marks = spoken.map(createMark)
  const questions = createQuestions()
  const node = make(
    'section',
    { className: 'panel controls', 'aria-label': 'Session controls' },
    consentRow,
    make('div', { className: 'buttons' }, ...buttons.map((button) => button.node)),
    ...marks.map((mark) => mark.node),
    questions.node,
  )
  return {
    node,
    /** @param {LearnSessionDetail} detail */
    show: (detail) => {
      const may = (/** @type {string} */ action) => detail.allowed_actions.includes(action)
      for (const { node: control, action } of [...buttons, ...marks]) control.hidden = !may(action)
      consentRow.hidden = !may('start')
      questions.show(may('answer_questions') ? detail.questions : [])
      node.hidden = detail.allowed_actions.length === 0
    },
  }
}

/**
 * A word said while something is shown.
 *
 * @param {Spoken} kind
 */
function createMark({ action, words, hint, maxLength, bodyOf }) {
  const text = make('input', { maxLength, required: true, placeholder: hint, 'aria-label': hint })
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const done = await attempt(async () => {
      await currentSession.act(action, bodyOf(text.value))
      return true
    })
    if (done) text.value = ''
  }
  const node = make('form', { className: 'marking', onsubmit }, text, make('button', {}, words))
  return { action, node }
}
