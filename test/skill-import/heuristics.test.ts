import { expect, test } from 'vitest'
import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { Findings } from '../../src/knowledge/bundle-scan/findings.ts'
import { lintBody, lintInstructions } from '../../src/knowledge/bundle-scan/instruction-rules.ts'
import { lintScript } from '../../src/knowledge/bundle-scan/script-rules.ts'
import * as texts from './instruction-texts.ts'

type Lint = (text: string, findings: Findings) => void

const lintText: Lint = (text, findings) => lintInstructions('SKILL.md', text, findings)
const lintCode: Lint = (text, findings) => lintScript('scripts/a.sh', text, findings)

const HEURISTICS: readonly (readonly [FindingCode, texts.HeuristicTexts, Lint])[] = [
  ['PROMPT_INJECTION_PATTERN', texts.INJECTION, lintText],
  ['HIDDEN_TEXT', texts.HIDDEN, lintText],
  ['REMOTE_INSTRUCTIONS', texts.REMOTE, lintText],
  ['MEMORY_WRITE_INSTRUCTION', texts.MEMORY, lintText],
  ['RIGID_ACTION_SEQUENCE', texts.RIGID, lintBody],
  ['SCRIPT_DYNAMIC_EVAL', texts.DYNAMIC_EVAL, lintCode],
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

test('prose between two code blocks is no block, and a long one is only found in its own fence', () => {
  const long = 'word '.repeat(1000)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`\na\n\`\`\`\n${long}\n\`\`\`\nb\n\`\`\`\n`)).toBe(false)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`json\n${long}\n\`\`\`\n`)).toBe(true)
  expect(isFlagged('SKILL_MD_PARAM_DUMP', lintBody, `\`\`\`python\n${long}\n\`\`\`\n`)).toBe(false)
})
