/** A text in the letters a to z, as far as its script has a common spelling in them. Other letters stay as they are. */
export function toLatin(text: string): string {
  const spelled = Array.from(text.normalize('NFC'), (letter) => {
    const lower = letter.toLowerCase()
    const latin = SPELLINGS.get(lower)
    if (latin === undefined) return letter
    return lower === letter ? latin : `${latin.slice(0, 1).toUpperCase()}${latin.slice(1)}`
  })
  return spelled.join('').normalize('NFKD').replaceAll(/\p{M}/gu, '')
}

const LATIN = 'ä=ae ö=oe ü=ue ß=ss æ=ae œ=oe ø=o å=a ł=l đ=d ð=d þ=th ı=i ħ=h ŋ=n'
const CYRILLIC =
  'а=a б=b в=v г=g д=d е=e ё=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g ў=u ј=j љ=lj њ=nj ћ=c ђ=dj џ=dz ќ=k ѓ=g'
const GREEK =
  'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o ά=a έ=e ή=i ί=i ό=o ύ=y ώ=o ϊ=i ϋ=y ΐ=i ΰ=y'

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  `${LATIN} ${CYRILLIC} ${GREEK}`.split(' ').map((pair) => {
    const [letter = '', latin = ''] = pair.split('=')
    return [letter, latin]
  }),
)
