import { expect, test } from 'vitest'
import { FINDING_TABLE, type FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { Findings } from '../../src/knowledge/bundle-scan/findings.ts'
import { lintBody, lintInstructions } from '../../src/knowledge/bundle-scan/instruction-rules.ts'
import { lintScript } from '../../src/knowledge/bundle-scan/script-rules.ts'
import { findSecrets, findUnnamedSecrets } from '../../src/knowledge/bundle-scan/secrets.ts'
import * as access from './access-script-texts.ts'
import * as harmful from './harmful-script-texts.ts'
import * as texts from './instruction-texts.ts'
import * as secrets from './secret-texts.ts'

type Lint = (text: string, findings: Findings) => void

const lintText: Lint = (text, findings) => lintInstructions('SKILL.md', text, findings)
const lintSecrets: Lint = (text, findings) => {
  findSecrets('references/a.md', text, findings)
  findUnnamedSecrets('references/a.md', text, findings)
}
const lintCode: Lint = (text, findings) => lintScript('scripts/a.sh', text, findings)

const HEURISTICS: readonly (readonly [FindingCode, texts.HeuristicTexts, Lint])[] = [
  ['PROMPT_INJECTION_PATTERN', texts.INJECTION, lintText],
  ['HIDDEN_TEXT', texts.HIDDEN, lintText],
  ['REMOTE_INSTRUCTIONS', texts.REMOTE, lintText],
  ['MEMORY_WRITE_INSTRUCTION', texts.MEMORY, lintText],
  ['RIGID_ACTION_SEQUENCE', texts.RIGID, lintBody],
  ['SCRIPT_DYNAMIC_EVAL', texts.DYNAMIC_EVAL, lintCode],
  ['SCRIPT_REMOTE_EXEC', harmful.REMOTE_EXEC, lintCode],
  ['SCRIPT_DESTRUCTIVE', harmful.DESTRUCTIVE, lintCode],
  ['SCRIPT_PRIVILEGE_ESCALATION', harmful.PRIVILEGE, lintCode],
  ['SCRIPT_PERSISTENCE', harmful.PERSISTENCE, lintCode],
  ['SCRIPT_OBFUSCATED', harmful.OBFUSCATED, lintCode],
  ['SCRIPT_CREDENTIAL_ACCESS', access.CREDENTIALS, lintCode],
  ['SCRIPT_CANONICAL_WRITE', access.CANONICAL, lintCode],
  ['SCRIPT_CONFIG_WRITE', access.CONFIG, lintCode],
  ['SCRIPT_NETWORK_EGRESS', access.NETWORK, lintCode],
  ['SCRIPT_PACKAGE_INSTALL', access.PACKAGES, lintCode],
  ['SECRET_PRIVATE_KEY', secrets.PRIVATE_KEY, lintSecrets],
  ['SECRET_KNOWN_TOKEN', secrets.KNOWN_TOKEN, lintSecrets],
  ['SECRET_HIGH_ENTROPY', secrets.HIGH_ENTROPY, lintSecrets],
  ['SKILL_MD_PARAM_DUMP', secrets.PARAM_DUMP, lintBody],
]

const isFlagged = (code: FindingCode, lint: Lint, text: string): boolean => {
  const findings = new Findings()
  lint(text, findings)
  return findings.has(code)
}

test.each(HEURISTICS)('%s flags what it must and nothing ordinary', (code, { flagged, ordinary }, lint) => {
  expect(flagged.length).toBeGreaterThanOrEqual(20)
  expect(ordinary.length).toBeGreaterThanOrEqual(20)
  expect(flagged.filter((text) => !isFlagged(code, lint, text))).toEqual([])
  expect(ordinary.filter((text) => isFlagged(code, lint, text))).toEqual([])
})

test('every heuristic of the catalogue has such a table', () => {
  const heuristics = Object.entries<{ heuristic?: true }>(FINDING_TABLE).filter(([, { heuristic }]) => heuristic)
  expect(HEURISTICS.map(([code]) => code).toSorted()).toEqual(heuristics.map(([code]) => code).toSorted())
})

test('prose between two code blocks is no block, and a long one is only found in its own fence', () => {
  const long = 'word '.repeat(1000)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`\na\n\`\`\`\n${long}\n\`\`\`\nb\n\`\`\`\n`)).toBe(false)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`json\n${long}\n\`\`\`\n`)).toBe(true)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`python\n${long}\n\`\`\`\n`)).toBe(false)
})
