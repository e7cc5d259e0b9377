/**
 * A shared library as skills of the peer have it: it finds the device program and the operator package, calls the program
 * with every spelling that such libraries use, and prints the result frame. The text is our own.
 */
export const SHARED_LIBRARY = `
const { execFileSync } = require('node:child_process')
const { mkdtempSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

/** The variable holds a path, the path of a script, or a command line with quotes. */
function resolveProgram() {
  const value = process.env.CLAWPERATOR_BIN || 'clawperator'
  if (value.endsWith('.js') || value.endsWith('.mjs')) return [process.execPath, value]
  return (value.match(/"[^"]+"|\\S+/g) || []).map((part) => part.replace(/^"|"$/g, ''))
}

const operatorPackage = process.env.CLAWPERATOR_OPERATOR_PACKAGE || 'com.clawperator.operator'

function call(args) {
  const [program, ...before] = resolveProgram()
  return JSON.parse(execFileSync(program, [...before, ...args], { encoding: 'utf8', timeout: 120000 }))
}

/** The result of the only step. */
function readStep(reply) {
  const [step] = reply.envelope.stepResults
  if (!step.success) throw new Error(step.id + ' failed: ' + JSON.stringify(step.data))
  return step.data
}

function writePayload(actions) {
  const file = join(mkdtempSync(join(tmpdir(), 'payload-')), 'execution.json')
  const payload = {
    commandId: 'shared-' + Date.now() + '-' + Math.random(), taskId: 'shared', source: 'shared-library',
    expectedFormat: 'android-ui-automator', timeoutMs: 30000, actions,
  }
  writeFileSync(file, JSON.stringify(payload))
  return { file, payload }
}

module.exports = { call, operatorPackage, readStep, writePayload }
`

/** A second folder of helpers, which the first one does not know. */
export const SHARED_RESULT = `
module.exports = (result) => {
  console.log('[Clawperator-Skill-Result]')
  console.log(JSON.stringify({ contractVersion: '1.0.0', ...result }))
}
`

/** Writes a note with the title of the last argument, and reads it from the list. */
export const ADD_NOTE_SCRIPT = `
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { call, operatorPackage, readStep, writePayload } = require('../../utils/common')
const printResult = require('../../shared/result.js')

const APP = 'org.apprentice.notes'
const [device, title] = process.argv.slice(2)
const id = (name) => APP + ':id/' + name
const target = ['--device', device, '--operator-package', operatorPackage]
const older = ['--device-id', device, '--receiver-package', operatorPackage]

readStep(call(['open-app', '--app', APP, ...target, '--json']))
const looks = [
  ['observe', 'snapshot', ...target, '--json'],
  ['snapshot', ...older],
].map((args) => readStep(call(args)).text.includes(APP))
const shots = [
  ['observe', 'screenshot', '--path', join(process.cwd(), 'one.png'), ...target],
  ['screenshot', '--path=' + join(process.cwd(), 'two.png'), ...older, '--output', 'json'],
].map((args) => readFileSync(readStep(call(args)).path).subarray(1, 4).toString())

const click = (name) => ({ id: name, type: 'click', params: { matcher: { resourceId: id(name) } } })
const type = (text) => ({ id: 'title', type: 'enter_text', params: { matcher: { resourceId: id('title') }, text } })
// The payload as a plain argument, before and after the flags, by flag, and as JSON.
readStep(call(['exec', writePayload([click('new_note')]).file, ...target, '--json']))
readStep(call(['exec', ...target, '--json', writePayload([type('draft')]).file]))
readStep(call(['execute', '--execution', writePayload([{ ...type(title), params: { ...type(title).params, clear: true } }]).file, ...older]))
readStep(call(['exec', '--payload', JSON.stringify(writePayload([click('save')]).payload), ...target]))

readStep(call(['wait', '--text', title, '--timeout', '5000', ...target]))
readStep(call(['action', 'wait-for-node', '--text', title, ...target]))
const observed = readStep(call(['read', '--text', title, ...target, '--json'])).text
console.log(JSON.stringify({ looks, shots, program: existsSync(process.env.CLAWPERATOR_BIN) }))
printResult({
  skillId: 'org.apprentice.notes.add-note', status: 'success', inputs: { title },
  checkpoints: [{ id: 'saved', status: 'ok' }], result: { kind: 'text', text: observed },
  terminalVerification: {
    status: 'verified', expected: { kind: 'text', text: title }, observed: { kind: 'text', text: observed },
  },
})
`
