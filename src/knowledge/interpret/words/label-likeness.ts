/**
 * Whether a text may be a label of the app by its form: short, without digits, quotes, addresses, greetings of somebody
 * and possessives.
 */
export function looksLikeLabel(text: string): boolean {
  const label = text.trim()
  if (label.length < 2 || label.length > MAX_LENGTH || !/\p{L}/u.test(label)) return false
  if (/\p{N}|[\r\n"“”„«»‹›「」『』@#$]/u.test(label) || /:\/\/|\bwww\.|\p{L}\.\p{L}{2,}/u.test(label)) return false
  if ((label.match(/\S+/gu) ?? []).length > MAX_WORDS) return false
  return !hasPossessive(label) && !greetsSomebody(label)
}

const MAX_LENGTH = 48
const MAX_WORDS = 7

/** `Ada's list`, `James' list`, `Ali'nin listesi`, but not `What's new`. */
function hasPossessive(label: string): boolean {
  const found = label.match(/(?<!\p{L})(\p{L}+)['’](?:\p{L}{1,4}(?!\p{L})|(?=\s))/gu) ?? []
  return found.some((word) => !CONTRACTION.test(word))
}

const CONTRACTION =
  /^(?:what|it|let|that|there|here|who|how|where|when|he|she|today|tomorrow|yesterday|don|can|won|isn|aren|doesn|didn|couldn|wouldn|shouldn|haven|hasn|wasn|weren|you|we|they|i|aujourd|d|l|qu|n|s|c|j|m|t)['’]/iu

/** A greeting with another word is a greeting of somebody. */
function greetsSomebody(label: string): boolean {
  const lower = label.toLowerCase()
  if (!GREETING.test(lower)) return false
  const rest = lower.replaceAll(GREETINGS, ' ').match(/\p{L}+/gu) ?? []
  return rest.some((word) => !BESIDE_GREETING.has(word))
}

const PHRASES = [
  'hello|hi|hey|welcome|good morning|good afternoon|good evening|good night|dear|bye|goodbye',
  'hallo|willkommen|guten morgen|guten tag|guten abend|moin|servus|bonjour|bonsoir|salut|bienvenue',
  'hola|buenos días|buenas tardes|buenas noches|bienvenido|bienvenida|ciao|buongiorno|buonasera|benvenuto|benvenuta',
  'olá|oi|bom dia|boa tarde|boa noite|bem-vindo|bem-vinda|hoi|goedemorgen|goedemiddag|goedenavond|welkom',
  'cześć|witaj|witamy|dzień dobry|dobry wieczór|hej|välkommen|god morgon|god kväll|merhaba|selam|günaydın|hoş geldin|hoş geldiniz',
  'привет|здравствуйте|доброе утро|добрый день|добрый вечер|добро пожаловать',
]
const UNSPACED_PHRASES =
  'こんにちは|こんばんは|おはようございます|おはよう|ようこそ|おかえりなさい|你好|您好|欢迎|早上好|下午好|晚上好|안녕하세요|안녕|환영합니다'
const GREETING_SOURCE = `(?<!\\p{L})(?:${PHRASES.join('|')})(?!\\p{L})|${UNSPACED_PHRASES}`
const GREETING = new RegExp(GREETING_SOURCE, 'u')
const GREETINGS = new RegExp(GREETING_SOURCE, 'gu')

const BESIDE_GREETING: ReadonlySet<string> = new Set(
  'back again to the our app there all everyone zurück bei der zu à de nouveau di nuovo de volta terug tillbaka'.split(
    ' ',
  ),
)
