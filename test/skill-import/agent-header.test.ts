import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeAgentDocument } from '../../src/knowledge/bundle-scan/agent-header.ts'

const OWN = { title: 'Tidy notes', version: '1.0.0', triggers: ['tidy my notes'], schema_version: 1 as const }

const FOREIGN = [
  'name: tidy-notes',
  "description: 'It sorts notes: by day, by ''tag''.'   # keep",
  'license: Complete terms in LICENSE.txt',
  'compatibility: Requires git',
  'allowed-tools: Bash(git:*)  Read',
  'metadata: {"openclaw":{"emoji":"🗒️","requires":{"bins":["git"]}}}',
  'hooks:',
  '- event: start',
  '  run: x',
  'homepage: https://example.com/?a=1',
  '',
].join('\n')

test('every field that the daemon does not own keeps its bytes', () => {
  const own = 'title: Old\nversion: 0.1\ntriggers:\n- one\n- two\nnegative-triggers: []\n'
  const document = `---\n${own}# about the skill\n${FOREIGN}---\n\n# Tidy\n\nText.\n`
  const made = writeAgentDocument(document, OWN)
  expect(made).toContain(`---\n# about the skill\n${FOREIGN}title:`)
  expect(made.endsWith('---\n\n# Tidy\n\nText.\n')).toBe(true)
  const header = parse(made.split('---\n')[1] ?? '') as Record<string, unknown>
  expect(header).toMatchObject({ title: 'Tidy notes', version: '1.0.0', triggers: ['tidy my notes'] })
  expect(Object.keys(header).filter((key) => key === 'title')).toHaveLength(1)
})

test('line ends and an invalid but common description are kept, a byte order mark is not', () => {
  const lines = ['---', 'name: a-b', 'description: Use when: asked', 'Version: 3', '---', '', 'Text', '']
  const made = writeAgentDocument(`\uFEFF${lines.join('\r\n')}`, OWN)
  expect(made.startsWith('---\nname: a-b\r\ndescription: Use when: asked\r\ntitle: "Tidy notes"\n')).toBe(true)
  expect(made.endsWith('---\n\r\nText\r\n')).toBe(true)
  expect(made).not.toContain('Version: 3')
})

test('a header that is not a list of fields is written again', () => {
  const made = writeAgentDocument('---\n{name: a-b, description: x}\n---\nText\n', {
    name: 'a-b',
    description: 'x',
    ...OWN,
  })
  expect(parse(made.split('---\n')[1] ?? '')).toMatchObject({ name: 'a-b', description: 'x', title: 'Tidy notes' })
  expect(made.endsWith('---\nText\n')).toBe(true)
})
