"""A paragraph of everyday prose in each of many languages, and its sentences."""

import re

PARAGRAPHS: dict[str, str] = {
    "english story": (
        "My grandmother kept her recipes in a shoebox under the stairs. When she died we found two hundred "
        "of them, written on the backs of envelopes and bus tickets, and half were for the same plum cake. "
        "Each version corrected the last: less sugar, more lemon, never on a Monday. I baked the final one "
        "for her birthday, and it tasted of nothing but butter."
    ),
    "english mail": (
        "Hi Sarah, thanks for getting back to me so quickly. I've attached the revised quote with the "
        "changes we discussed on Thursday; the only open question is whether delivery can be moved to the "
        "second week of March. Could you let me know by tomorrow? Best regards, Daniel"
    ),
    "german story": (
        "Als wir endlich am Bahnhof ankamen, war der letzte Zug schon weg. Meine Schwester setzte sich auf "
        "ihren Koffer und fing an zu lachen, weil ihr nichts Besseres einfiel. Der Mann am Schalter zuckte "
        "mit den Schultern und empfahl uns eine Pension in der Nähe der Brücke. Dort roch es nach "
        "Bohnerwachs und Kohlsuppe, aber die Betten waren weich, und am nächsten Morgen schien die Sonne "
        "über den Dächern."
    ),
    "french": (
        "Le marché ouvre à six heures, mais les habitués arrivent bien avant, quand les camions déchargent "
        "encore les cageots de tomates et de pêches. Madame Bernard choisit toujours les siennes une par "
        "une, en les tournant vers la lumière comme des bijoux. Son mari, lui, attend au café avec le "
        "journal et un verre de vin blanc. Ils font cela depuis quarante ans et ne se sont jamais disputés "
        "au sujet des melons."
    ),
    "spanish": (
        "El verano que cumplí doce años mi abuelo me enseñó a pescar desde las rocas. Salíamos antes del "
        "amanecer, con el pan y el queso envueltos en un trapo, y no hablábamos hasta que el sol estaba "
        "alto. Casi nunca picaba nada, pero a él no parecía importarle. Decía que el mar siempre devuelve lo "
        "que uno le cuenta, aunque tarde mucho tiempo."
    ),
    "portuguese": (
        "Ontem à tarde faltou luz em todo o bairro e as pessoas saíram para conversar na calçada. As "
        "crianças corriam atrás de uma bola, os cachorros latiam e alguém trouxe um violão. Quando a energia "
        "voltou, já passava das dez, mas ninguém quis entrar. Minha vizinha disse que fazia anos que não se "
        "divertia tanto sem gastar um centavo."
    ),
    "italian": (
        "Il bambino guardava la pioggia scendere lungo il vetro e contava le gocce che arrivavano per prime. "
        "Sua madre preparava il sugo in cucina e cantava una canzone che nessuno ricordava più. Fuori passò "
        "un autobus quasi vuoto, con i fari accesi anche se era mezzogiorno. Poi squillò il telefono e tutto "
        "cambiò, ma lui questo lo avrebbe capito soltanto molti anni dopo."
    ),
    "polish": (
        "W sobotę rano pojechaliśmy na działkę, żeby przed zimą zebrać ostatnie jabłka. Ojciec wszedł na "
        "drabinę, a ja trzymałem kosz i słuchałem, jak opowiada o wojsku. Sąsiadka przyniosła nam gorącą "
        "herbatę i placek ze śliwkami. Wieczorem rozpaliliśmy ognisko z suchych gałęzi, a dym było widać aż "
        "z drugiej strony jeziora."
    ),
    "turkish": (
        "Sabah erkenden yola çıktık, çünkü öğleden sonra fırtına bekleniyordu. Köye vardığımızda çocuklar "
        "okuldan dönüyor, kadınlar çeşmenin başında sohbet ediyordu. Yaşlı bir adam bize çay ikram etti ve "
        "eskiden burada yüzlerce ceviz ağacı olduğunu anlattı. Akşam olunca rüzgâr dindi, gökyüzü "
        "yıldızlarla doldu ve kimse eve gitmek istemedi."
    ),
    "russian story": (
        "Утром бабушка разбудила меня, когда за окном было ещё темно. Мы взяли корзины и пошли через поле к "
        "лесу, где после дождей появились первые грибы. Она знала каждую поляну и никогда не торопилась. К "
        "обеду мы вернулись усталые и мокрые, поставили чайник, и кот сразу улёгся мне на колени, будто ждал "
        "нас весь день."
    ),
    "russian mail": (
        "Здравствуйте! Подскажите, пожалуйста, когда будет доставлен мой заказ? Оплата прошла ещё в пятницу, "
        "но статус на сайте до сих пор не изменился. Если товара нет на складе, прошу вернуть деньги на "
        "карту. Спасибо за помощь."
    ),
    "ukrainian": (
        "Улітку ми жили в невеликому будинку біля річки, де вода була холодна навіть у серпні. Щоранку "
        "дідусь ловив рибу, а ми з братом збирали малину вздовж стежки. Увечері вся родина сідала на "
        "веранді, пила чай і слухала, як у траві сюрчать цвіркуни. Мені здавалося, що так буде завжди і що "
        "осінь ніколи не настане."
    ),
    "arabic": (
        "في الصباح الباكر خرج الصيادون إلى البحر كما يفعلون كل يوم، بينما كانت المدينة لا تزال نائمة. جلس "
        "والدي على الشاطئ يصلح الشباك القديمة ويحكي لنا قصصا عن رحلاته البعيدة. كانت أمي تعد الخبز والشاي، "
        "وكنا ننتظر عودة القوارب بفارغ الصبر. وعندما عادت أخيرا كانت السلال مملوءة بالسمك والوجوه مبتسمة."
    ),
    "hebrew": (
        "בכל יום שישי אחר הצהריים היינו נוסעים לסבתא שגרה בבית קטן ליד הים. היא חיכתה לנו על המרפסת עם עוגת "
        "שוקולד וכוסות לימונדה קרה. אחרי הארוחה סבא היה מספר על הימים שבהם עבד כנהג אוטובוס בחיפה. אנחנו "
        "צחקנו גם כשכבר שמענו את הסיפור עשרות פעמים, כי הוא תמיד הוסיף משהו חדש."
    ),
    "persian": (
        "دیروز عصر با دوستم به کتابفروشی کوچکی در مرکز شهر رفتیم که صاحبش پیرمردی مهربان بود. او برای ما چای "
        "آورد و از روزهایی گفت که مردم برای خریدن یک کتاب ساعت‌ها صف می‌کشیدند. بیرون باران می‌بارید و "
        "خیابان خلوت شده بود. وقتی برگشتیم، هر کدام دو کتاب در دست داشتیم و هیچ پولی برای تاکسی نمانده بود."
    ),
    "hindi": (
        "पिछले रविवार को हम सब नानी के घर गए थे, जो नदी के किनारे एक छोटे से गाँव में है। वहाँ आम के पेड़ों "
        "पर बच्चे झूला झूल रहे थे और औरतें आँगन में बैठकर बातें कर रही थीं। नानी ने हमारे लिए गरम रोटियाँ और "
        "खीर बनाई। शाम को बारिश होने लगी, तो दादाजी ने हमें अपने बचपन की एक पुरानी कहानी सुनाई।"
    ),
    "bengali": (
        "গত শুক্রবার আমরা সবাই মিলে গ্রামের বাড়িতে গিয়েছিলাম। পুকুরের ধারে বসে বাবা মাছ ধরছিলেন আর মা "
        "রান্নাঘরে পিঠা বানাচ্ছিলেন। বিকেলে হঠাৎ ঝড় উঠল, তাই বাচ্চারা দৌড়ে ঘরে চলে এল। রাতে বিদ্যুৎ ছিল "
        "না, কিন্তু দাদুর গল্প শুনতে শুনতে কখন ঘুমিয়ে পড়েছি টের পাইনি।"
    ),
    "thai": (
        "เมื่อวานนี้ฉันไปตลาดกับแม่ตั้งแต่เช้า เราซื้อผักสด ปลา และผลไม้หลายอย่าง คนขายใจดีมาก แถมมะม่วงให้เร"
        "าอีกสองลูก ตอนกลับบ้านฝนตกหนักจนถนนน้ำท่วม เราจึงต้องนั่งรอที่ร้านกาแฟเกือบสองชั่วโมง แม่เล่าเรื่องส"
        "มัยเด็กให้ฟัง และฉันก็หัวเราะจนน้ำตาไหล"
    ),
    "vietnamese story": (
        "Mỗi buổi sáng, ông tôi dậy từ năm giờ để tưới cây và cho chim ăn. Sau đó ông pha một ấm trà, ngồi "
        "trước hiên nhà đọc báo và chào hỏi những người hàng xóm đi chợ về. Ngày còn bé, tôi thường ngồi bên "
        "cạnh nghe ông kể chuyện chiến tranh và những chuyến tàu dài ra miền Bắc. Bây giờ mỗi lần ngửi thấy "
        "mùi hoa nhài, tôi lại nhớ ông."
    ),
    "vietnamese mail": (
        "Xin chào, tôi muốn hỏi về đơn hàng đã đặt tuần trước. Trên trang web vẫn ghi là đang xử lý, nhưng "
        "tôi cần nhận hàng trước thứ Sáu. Nếu không kịp, vui lòng hủy đơn và hoàn tiền vào tài khoản của "
        "tôi. Cảm ơn bạn đã hỗ trợ!"
    ),
    "chinese story": (
        "小时候，每到夏天我们全家都会去乡下的外婆家住上一个月。院子里有一棵很大的枣树，我和表哥常常爬上去摘果"
        "子，衣服弄破了也不敢告诉大人。晚上大家坐在门口乘凉，外公一边摇扇子一边讲故事。后来村子拆迁了，那棵树"
        "也不见了，可是我还记得它的味道。"
    ),
    "chinese mail": (
        "您好，我上周在贵店购买的耳机只用了两天就没有声音了，换了手机也一样。请问可以申请退货吗？运费由谁承担"
        "？麻烦尽快回复，谢谢。"
    ),
    "japanese story": (
        "駅前の古い喫茶店が今月いっぱいで閉まると聞いて、久しぶりに足を運んだ。扉を開けると、昔と同じコーヒー"
        "の香りがして、少し泣きそうになった。マスターは髪が真っ白になっていたけれど、私の名前を覚えていてくれ"
        "た。窓際の席に座り、学生のころのように本を読みながら、夕方までゆっくり過ごした。"
    ),
    "japanese mail": (
        "お世話になっております。先日お送りいただいた見積書について、納期を一週間早めることは可能でしょうか。"
        "ご確認のうえ、明日までにご連絡いただけますと幸いです。よろしくお願いいたします。"
    ),
    "korean story": (
        "어릴 때 우리 집 뒤에는 작은 산이 있어서 주말마다 아버지와 함께 올라갔다. 꼭대기에 앉아 김밥을 "
        "먹으면 온 동네가 한눈에 보였고, 멀리 기차가 지나가는 소리도 들렸다. 지금은 그 자리에 아파트가 "
        "들어섰지만, 눈을 감으면 아직도 소나무 냄새가 나는 것 같다. 언젠가 내 아이와도 그런 산에 오르고 싶다."
    ),
    "korean mail": (
        "안녕하세요, 지난주에 주문한 상품이 아직 도착하지 않아서 문의드립니다. 배송 조회를 해 보니 계속 준비 "
        "중으로 나오는데, 언제쯤 받을 수 있을까요? 급하게 필요해서요. 빠른 답변 부탁드립니다."
    ),
    "greek": (
        "Το καλοκαίρι πηγαίναμε πάντα στο νησί με το βραδινό πλοίο και κοιμόμασταν στο κατάστρωμα κάτω από "
        "τα αστέρια. Ο παππούς μας περίμενε στο λιμάνι με το γαϊδουράκι του και μας έδινε σύκα από τον κήπο. "
        "Τα μεσημέρια όλοι κοιμόνταν, εκτός από τα παιδιά που έτρεχαν κρυφά στη θάλασσα. Ακόμα θυμάμαι τη "
        "μυρωδιά του ψωμιού από τον παλιό φούρνο."
    ),
    "swedish": (
        "På hösten brukade vi plocka lingon i skogen bakom stugan, långt innan snön kom. Pappa bar den stora "
        "hinken och mamma hade kaffe i en termos. Vi barn sprang före och ropade när vi hittade ett bra "
        "ställe. På kvällen luktade hela huset av sylt, och vi fick äta så mycket vi orkade."
    ),
    "czech": (
        "Když jsme se přestěhovali do města, nikoho jsme tam neznali. Každé ráno jsem chodil do školy kolem "
        "řeky a počítal lodě, které kotvily u starého mostu. Jednou mi jeden námořník daroval mušli, ve "
        "které bylo slyšet moře. Mám ji dodnes na stole vedle počítače."
    ),
    "hungarian": (
        "A nagyapám minden vasárnap kivitt minket a folyóhoz horgászni. Sokszor egész nap nem fogtunk "
        "semmit, de ő soha nem panaszkodott. Azt mondta, hogy a csend többet ér, mint a hal, és hogy aki tud "
        "várni, az mindent megkap. Most már értem, mire gondolt."
    ),
    "bulgarian": (
        "Вчера вечерта заваля силен дъжд и децата останаха вкъщи. Баба изпече баница, а дядо разказваше "
        "приказки край печката, докато навън гърмеше и святкаше. Сутринта небето беше ясно, а по пътя към "
        "училището имаше локви, в които се оглеждаха облаците."
    ),
    "indonesian": (
        "Setiap pagi ayah saya mengantar kami ke sekolah dengan sepeda motor tua yang suaranya keras sekali. "
        "Di jalan kami selalu berhenti untuk membeli kue dari seorang ibu yang berjualan di dekat jembatan. "
        "Sekarang jalan itu sudah lebar dan ramai, tetapi saya masih mencari warungnya setiap kali pulang "
        "kampung."
    ),
    "tamil": (
        "நேற்று மாலை நாங்கள் அனைவரும் கடற்கரைக்குச் சென்றோம். குழந்தைகள் மணலில் வீடு கட்டி விளையாடினார்கள், "
        "பெரியவர்கள் கதை பேசிக்கொண்டு நடந்தார்கள். திரும்பி வரும் வழியில் அப்பா எங்களுக்கு சுண்டல் வாங்கிக் "
        "கொடுத்தார்."
    ),
}
_SENTENCE = re.compile(r"[^.。！？!?।]+[.。！？!?।]+")


def sentences() -> list[str]:
    """Of all paragraphs, but for those of a word or two."""
    found = [part.strip() for text in PARAGRAPHS.values() for part in _SENTENCE.findall(text)]
    return [sentence for sentence in found if len(sentence) > 12]
