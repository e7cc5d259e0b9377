import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { countLines, type Findings } from './findings.ts'

interface SecretKind {
  readonly code: FindingCode
  readonly label: string
  /** A fixed part of every match. The pattern is skipped for texts without it. */
  readonly needle: string
  readonly pattern: RegExp
}

const tokenKind = (label: string, needle: string, pattern: RegExp): SecretKind => ({
  code: 'SECRET_KNOWN_TOKEN',
  label,
  needle,
  pattern,
})

const SECRET_KINDS: readonly SecretKind[] = [
  {
    code: 'SECRET_PRIVATE_KEY',
    label: 'private key',
    needle: 'PRIVATE KEY',
    pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  tokenKind('cloud access key', 'AKIA', /\bAKIA[A-Z0-9]{16}\b/g),
  tokenKind('cloud access key', 'ASIA', /\bASIA[A-Z0-9]{16}\b/g),
  tokenKind('code host token', 'gh', /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g),
  tokenKind('code host token', 'github_pat_', /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g),
  tokenKind('code host token', 'glpat-', /\bglpat-[A-Za-z0-9_-]{20,}/g),
  tokenKind('chat token', 'xox', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g),
  tokenKind('chat webhook', 'hooks.slack.com', /hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g),
  tokenKind('language model key', 'sk-', /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/g),
  tokenKind('search or map key', 'AIza', /\bAIza[0-9A-Za-z_-]{35}\b/g),
  tokenKind('payment key', 'k_live_', /\b[rs]k_live_[0-9A-Za-z]{16,}/g),
  tokenKind('package registry token', 'npm_', /\bnpm_[A-Za-z0-9]{36}\b/g),
  tokenKind('package registry token', 'pypi-', /\bpypi-[A-Za-z0-9_-]{50,}/g),
  tokenKind('signed token', 'eyJ', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g),
  tokenKind(
    'password in an address',
    '://',
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"<>]{1,80}:[^\s/:@'"<>${}]{4,80}@/gi,
  ),
]

/**
 * Finds secrets. A finding contains only the place, the kind and the last two characters. `line` is the line of the file
 * on which the text begins, if it is known.
 */
export function findSecrets(path: string, text: string, findings: Findings, line?: number): void {
  for (const { code, label, needle, pattern } of SECRET_KINDS) {
    if (!text.includes(needle)) continue
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (isExample(found)) continue
      const place = line === undefined ? {} : { line: line + countLines(text, index) - 1 }
      findings.add(code, { path, ...place, note: `${label}, ends in ${found.slice(-2)}` })
    }
  }
}

/** Placeholders from documentation. */
const isExample = (found: string): boolean =>
  /example|placeholder|your[-_]|xxxx|:\/\/[^@]*(?:user|password|<)/i.test(found)

const ASSIGNMENT =
  /(?:secret|token|passw(?:or)?d|api_?key|credential)[\w-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/_=.-]{20,200})/gi

/** Finds long random values that are assigned to a name such as `token` or `password`. */
export function findUnnamedSecrets(path: string, text: string, findings: Findings): void {
  for (const { 1: value = '', index } of text.matchAll(ASSIGNMENT)) {
    if (isExample(value) || measureEntropy(value) < 3.6 || !/\d/.test(value)) continue
    findings.add('SECRET_HIGH_ENTROPY', { path, line: countLines(text, index), note: `ends in ${value.slice(-2)}` })
  }
}

/** The Shannon entropy in bits per character. */
function measureEntropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

export function checkSecretFile(path: string, findings: Findings): void {
  const name = path.split('/').at(-1) ?? ''
  if (/^(?:\.?env(?:\.\w+)?|credentials(?:\.json)?|id_(?:rsa|ed25519|ecdsa)|\.?netrc)$/i.test(name)) {
    findings.add('SECRET_ENV_FILE', { path })
  }
}
