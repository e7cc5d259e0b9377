import { expect, test } from 'vitest'
import { lintUse } from '../../src/knowledge/checkpoint-lint/document-rules.ts'
import {
  addRunSection,
  formatRunSection,
  hasRunSection,
  type RunFacts,
} from '../../src/knowledge/skill-format/run-section.ts'

const CLIMATE: RunFacts = {
  ability_id: 'learned.set-temperature',
  kind: 'runnable',
  inputs: [
    { name: 'unit', type: 'string', summary: 'Which unit', required: true },
    { name: 'temperature', type: 'integer[16,30]', required: true },
    { name: 'mode', type: 'string', required: false, default: 'Heat', choices: ['Heat', 'Cool'] },
  ],
}

test('the section names the ability and every way to run it, with values that the inputs accept', () => {
  const section = formatRunSection(CLIMATE)
  expect(section).toContain(
    'the tool `run_ability` with `{"ability_id":"learned.set-temperature","inputs":{"unit":"example unit","temperature":23}}`',
  )
  expect(section).toContain("`apprentice run learned.set-temperature unit='example unit' temperature=23`")
  expect(section).toContain('`POST http://127.0.0.1:4870/api/abilities/learned.set-temperature/run`')
  expect(section).toContain('`{"inputs":{"unit":"example unit","temperature":23},"wait_ms":60000}`')
  expect(section).toContain('- **unit** (string, required) Which unit. Example: `example unit`.')
  expect(section).toContain('- **mode** (string, optional) One of: Heat, Cool. Example: `Heat`.')
  for (const outcome of ['success', 'failed', 'indeterminate', 'cancelled']) expect(section).toContain(`\`${outcome}\``)
  expect(section).toContain('`secrets/admin.token`')
  expect(section).not.toMatch(/Bearer (?!\$APPRENTICE_TOKEN)/)
})

test.each([
  ['a purchase', { may_purchase: true }, '--allow purchase_risk'],
  ['supervision', { supervised: true }, 'Before each run: it requires the consent of a person.'],
  ['an unproven outcome', { unproven: true }, 'After each run: no screen shows the outcome'],
])('the section says when a person is asked: %s', (_, facts, words) => {
  expect(formatRunSection({ ...CLIMATE, ...facts })).toContain(words)
  expect(formatRunSection(CLIMATE)).not.toContain(words)
})

test('hostile values do not leave their code span or their line', () => {
  const inputs = [{ name: 'note', type: 'string', summary: '# x\n- y `z`', choices: ['a`b\n## Run', "it's"] }]
  const section = formatRunSection({ ...CLIMATE, inputs })
  expect(section.match(/^#/gm)).toHaveLength(4)
  expect(section).toContain("``apprentice run learned.set-temperature note='a`b ## Run'``")
})

test('guidance says that it cannot be run', () => {
  const section = formatRunSection({ ...CLIMATE, kind: 'guidance' })
  expect(section).toContain('This ability is guidance')
  expect(section).not.toMatch(/apprentice run|run_ability|\/run`/)
})

const OLD = '---\nname: set-temperature\n---\n\n# Set the temperature\n\n## Purpose\n\nSet it.\n'

test('the section is added after the title, once, and no other byte changes', () => {
  const made = addRunSection(OLD, CLIMATE)
  const section = formatRunSection(CLIMATE)
  expect(made).toBe(OLD.replace('## Purpose', `${section}\n## Purpose`))
  expect(addRunSection(made, CLIMATE)).toBe(made)

  const foreign = '---\r\nname: x\r\n---\r\nText\r\n\r\n## Run\r\n\r\nnpm start\r\n'
  expect(addRunSection(foreign, CLIMATE)).toBe(foreign.replace('Text', `\n${section}\nText`))
})

test('a section for another ability is replaced, and one in a code block is none', () => {
  const exported = addRunSection(OLD, CLIMATE)
  const imported = { ...CLIMATE, ability_id: 'imported.set-temperature' }
  expect(addRunSection(exported, imported)).toBe(addRunSection(OLD, imported))
  const fenced = `# T\n\n\`\`\`\n${formatRunSection(CLIMATE)}\`\`\`\n`
  expect(hasRunSection(fenced, CLIMATE)).toBe(false)
})

test('the lint refuses a document that does not say how its ability is run', () => {
  const { ability_id, kind } = CLIMATE
  const lint = (document: string) =>
    lintUse({ ability_id, kind, document }).map(({ code, severity }) => [code, severity])
  expect(lint(OLD)).toEqual([['CKP-015', 'error']])
  expect(lint(addRunSection(OLD, { ...CLIMATE, ability_id: 'learned.other' }))).toEqual([['CKP-015', 'error']])
  expect(lint(addRunSection(OLD, { ...CLIMATE, kind: 'guidance' }))).toEqual([['CKP-015', 'error']])
  expect(lint(addRunSection(OLD, CLIMATE))).toEqual([])
})
