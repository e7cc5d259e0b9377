import { currentSession } from './current-session.js'
import { make } from './element.js'
import { attempt } from './notices.js'
import { createQuestions } from './questions.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */

/** @type {readonly [string, string, string][]} */
const COMMANDS = [
  ['start', 'Start', 'primary'],
  ['pause', 'Pause', ''],
  ['resume', 'Resume', 'primary'],
  ['stop', 'Stop', ''],
  ['generate_proposal', 'Draft the ability', 'primary'],
  ['cancel', 'Cancel session', 'danger'],
]

/**
 * @typedef {object} Mark
 * @property {string} action
 * @property {string} label
 * @property {string} hint
 * @property {number} maxLength
 * @property {(text: string) => object} toBody
 */

/** @type {readonly Mark[]} */
const MARKS = [
  {
    action: 'mark_goal',
    label: 'Mark goal',
    hint: 'Goal of the workflow',
    maxLength: 400,
    toBody: (text) => ({ goal_description: text }),
  },
  {
    action: 'mark_step',
    label: 'Mark step',
    hint: 'The step you just did',
    maxLength: 240,
    toBody: (text) => ({ step_label: text }),
  },
]

/** The commands that the daemon permits now. The nodes are reused, so the focus is kept. */
export function createSessionControls() {
  const consent = make('input', { type: 'checkbox', name: 'consent' })
  const consentRow = make(
    'label',
    { className: 'consent' },
    consent,
    ' Store the text I type. Otherwise only placeholders are stored.',
  )
  const buttons = COMMANDS.map(([action, label, className]) => {
    const onclick = () => {
      const startBody = { text_capture_consent: consent.checked, source: 'user_click' }
      const body = action === 'start' ? startBody : {}
      return attempt(() => currentSession.runAction(action, body))
    }
    return { action, node: make('button', { type: 'button', className, onclick }, label) }
  })
  const marks = MARKS.map(createMark)
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
 * A field that marks the goal or a step during the capture.
 *
 * @param {Mark} kind
 */
function createMark({ action, label, hint, maxLength, toBody }) {
  const text = make('input', { maxLength, required: true, placeholder: hint, 'aria-label': hint })
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const done = await attempt(async () => {
      await currentSession.runAction(action, toBody(text.value))
      return true
    })
    if (done) text.value = ''
  }
  const node = make('form', { className: 'marking', onsubmit }, text, make('button', {}, label))
  return { action, node }
}
