import { type HeuristicTexts, readLines } from './instruction-texts.ts'

const KINDS = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'PGP ']
const begin = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`

export const PRIVATE_KEY: HeuristicTexts = {
  flagged: [
    ...KINDS.map((kind) => `${begin(kind)}\nMIIB\n`),
    ...KINDS.map((kind) => `const key = "${begin(kind)}\\nMIIB"`),
    ...['SSH2 ENCRYPTED ', 'ANY ', 'X25519 ', 'ED25519 '].map((kind) => `  key: |\n    ${begin(kind)}\n    MIIB\n`),
    '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n',
    `Use this key:\n\n\`\`\`\n${begin('')}\nMIIB\n\`\`\`\n`,
  ],
  ordinary: [
    '-----BEGIN PUBLIC KEY-----\nMIIB\n',
    '-----BEGIN RSA PUBLIC KEY-----\nMIIB\n',
    '-----BEGIN CERTIFICATE-----\nMIIB\n',
    '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n',
    '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQ\n',
    '-----BEGIN PGP MESSAGE-----\n\nhQ\n',
    '-----BEGIN PGP SIGNATURE-----\n\niQ\n',
    '-----BEGIN SSH SIGNATURE-----\nU1\n',
    '-----END PRIVATE KEY-----',
    'BEGIN PRIVATE KEY',
    'A PRIVATE KEY never leaves the machine.',
    'The file begins with BEGIN RSA PRIVATE KEY.',
    'Never commit a private key.',
    '--- BEGIN PRIVATE KEY ---',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ann@x.test',
    'ssh-rsa AAAAB3NzaC1yc2E ann@x.test',
    'openssl genrsa -out key.pem 2048',
    'const PRIVATE_KEY_PATH = "key.pem"',
    'if "PRIVATE KEY" in text: raise ValueError',
    'grep -L "PRIVATE KEY" *.pem',
  ],
}

/** Letters and digits that no rule takes for an example. */
const random = (length: number): string => 'aB3dE5gH7jK9mN2pQ4rS6tV8wZ'.repeat(8).slice(0, length)
const upper = (length: number): string => random(length).toUpperCase()

export const KNOWN_TOKEN: HeuristicTexts = {
  flagged: [
    `AKIA${upper(16)}`,
    `key = "ASIA${upper(16)}"`,
    `token: ghp_${random(36)}`,
    `gho_${random(40)}`,
    `ghs_${random(36)}`,
    `ghu_${random(36)}`,
    `github_pat_${random(40)}`,
    `glpat-${random(20)}`,
    `xoxb-${random(24)}`,
    `SLACK=xoxp-${random(30)}`,
    `https://hooks.slack.com/services/T00/B00/${random(24)}`,
    `sk-${random(48)}`,
    `sk-ant-${random(40)}`,
    `sk-proj-${random(40)}`,
    `AIza${random(35)}`,
    `sk_live_${random(24)}`,
    `npm_${random(36)}`,
    `pypi-${random(60)}`,
    `eyJ${random(20)}.eyJ${random(20)}.${random(20)}`,
    'postgres://ann:s3cretvalue@db.test/app',
  ],
  ordinary: [
    ...readLines(String.raw`
    AKIAIOSFODNN7EXAMPLE
    AKIA is the prefix of access keys
    ghp_your_token_here
    ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    A token begins with ghp_
    sk-...
    sk-your-key-goes-here-sk-your-key-goes-here
    sk_test_4eC39HqLyjWDarjtT1zdp7dc
    npm_config_cache=/tmp/cache
    npm_lifecycle_event
    xoxb-short
    glpat-short
    https://hooks.slack.com/services/
    AIza is a prefix
    postgres://user:password@localhost/app
    postgres://$USER:$PASS@localhost/app
    https://x.test:8080/path
    git@host.test:team/repo.git
    eyJ is how a signed token begins
    pypi-server run packages
    `),
  ],
}

export const HIGH_ENTROPY: HeuristicTexts = {
  flagged: [
    ...['token', 'api_key', 'apikey', 'secret', 'password', 'passwd', 'credential', 'client_secret'].map(
      (name) => `${name} = "${random(32)}"`,
    ),
    ...['TOKEN', 'API_KEY', 'SECRET', 'PASSWORD', 'ACCESS_TOKEN', 'SECRET_KEY'].map((name) => `${name}=${random(28)}`),
    ...['token', 'secret', 'apiKey', 'password', 'refresh_token', 'credentials'].map(
      (name) => `{ "${name}": "${random(40)}" }`,
    ),
  ],
  ordinary: readLines(String.raw`
    token = "your-token-goes-here-1234567890"
    api_key = os.environ["API_KEY"]
    password = "xxxxxxxxxxxxxxxxxxxxxxxx1"
    secret: <from the vault>
    TOKEN=$(cat token.txt)
    token = "abc"
    token_count = 123456789012345678901234
    password = "aaaaaaaaaaaaaaaaaaaaaaaa1"
    api_key: placeholder-value-for-the-key-1
    secret = getpass.getpass("Secret of the account: ")
    credential = "example-credential-0123456789abcdef"
    The token expires after 3600 seconds.
    checksum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
    commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904
    tokens = tokenizer.encode(some_long_text_value)
    password_field = "settings_account_password_field"
    const secretName = "projects/app/secrets/database"
    max_tokens: 4096
    token_url = "https://login.x.test/oauth2/token/v2"
    api_key_header = "x-api-key-of-the-request"
  `),
}

const block = (language: string, text: string): string => `# Notes\n\n\`\`\`${language}\n${text}\n\`\`\`\n`
const fill = (line: string, length = 4500): string => `${line}\n`.repeat(Math.ceil(length / (line.length + 1)))
const DATA = [
  '{"name": "a", "value": 1},',
  'name: a value of a setting',
  'key = "a value of a setting"',
  '[1, 2, 3, 4],',
]
const DATA_LANGUAGES = ['json', 'yaml', 'yml', 'toml', '']
const CODE_LANGUAGES = ['python', 'js', 'ts', 'bash', 'sh', 'html', 'css', 'sql', 'go', 'rust']

export const PARAM_DUMP: HeuristicTexts = {
  flagged: DATA_LANGUAGES.flatMap((language) => DATA.map((line) => block(language, fill(line)))),
  ordinary: [
    ...CODE_LANGUAGES.map((language) => block(language, fill('call(a, b, c)'))),
    ...DATA_LANGUAGES.map((language) => block(language, fill('{"a": 1}', 900))),
    fill('A sentence of a long document about settings.'),
    fill('| name | value |'),
    fill('    indented = true'),
    `${block('json', '{}')}\n${fill('A long text between two blocks.')}\n${block('json', '{}')}`,
    `${block('yaml', fill('a: 1', 2500))}\n${block('yaml', fill('b: 2', 2500))}`,
  ],
}
